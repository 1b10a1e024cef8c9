# The Debian package: `cpack -G DEB` in a release build directory. Its dependencies are what the program
# is linked with (dpkg-shlibdeps). Service, configuration and the plug-in's name for kubectl
# are in the package, not in `make install`, which leaves /etc and systemd alone.

file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/package)
file(CREATE_LINK muster ${PROJECT_BINARY_DIR}/package/kubectl-muster SYMBOLIC)
install(FILES ${PROJECT_BINARY_DIR}/package/kubectl-muster DESTINATION ${CMAKE_INSTALL_BINDIR}
        COMPONENT package EXCLUDE_FROM_ALL)
install(FILES deploy/systemd/muster-scheduler.service DESTINATION /lib/systemd/system
        COMPONENT package EXCLUDE_FROM_ALL)
install(FILES deploy/systemd/scheduler.yaml DESTINATION /etc/muster
        COMPONENT package EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME muster)
set(CPACK_PACKAGE_VENDOR "The muster authors")
set(CPACK_PACKAGE_CONTACT "The muster authors <muster@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_DESCRIPTION "muster takes a whole group of pods as the unit of waiting, trying, placing
and explaining: the whole job gets its nodes, or none of it does. The package has the scheduler,
its service (not started by the installation), the simulator and the explainer.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL Unspecified package)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS ca-certificates)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
    ${PROJECT_SOURCE_DIR}/deploy/debian/conffiles ${PROJECT_SOURCE_DIR}/deploy/debian/postinst
    ${PROJECT_SOURCE_DIR}/deploy/debian/prerm ${PROJECT_SOURCE_DIR}/deploy/debian/postrm)
include(CPack)
