package main

func writeVectors() {}
