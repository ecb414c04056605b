// Package windows asks a running Windows for the facts that only Windows has, and that the library's decision or the doctor
// needs: keys of the registry, display adapters, the tree of devices, app packages, DXGI, the rights of a process, the
// libraries that processes have loaded, versions of files. docs/platforms.md lists the expected facts.
//
// It asks as vulkan-1.dll does, decides nothing, and changes nothing but what Register, Unregister and Running are for. On other
// systems it only writes files for the registry editor.
package windows
