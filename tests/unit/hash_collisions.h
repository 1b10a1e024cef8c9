/*
 * hash_collisions.h - pairs of texts whose hashes are equal in the low 32 bits, which is all that
 * the symbol table and the map keep: only comparing the bytes tells them apart.
 *
 * One pair for each way in which keys are compared: up to 3 bytes, from 4, from 8, past 16;
 * differing at the front only, at the back only, and in length only. Found by search.
 */
#ifndef MST_HASH_COLLISIONS_H
#define MST_HASH_COLLISIONS_H

static const struct {
    const char *name, *a, *b;
} collisions[] = {
    { "3 bytes", "Qvn", "pwK" },
    { "7 bytes, back", "nodeUvl", "nodekeX" },
    { "7 bytes, front", "G8enode", "P3Dnode" },
    { "8 bytes", "ebUanode", "7lRbnode" },
    { "9 bytes, back", "node-Mewa", "node-vfBc" },
    { "9 bytes, front", "prdc-node", "Gaoc-node" },
    { "13 bytes, back", "kubernet-b8Ha", "kubernet-Vufb" },
    { "14 bytes, front", "u2banetes-node", "Uuvanetes-node" },
    { "20 bytes", "kubernetes.io/99ib.y", "kubernetes.io/x6oc.y" },
    { "one begins the other", "n1227nVTb", "n1227" },
};

#endif
