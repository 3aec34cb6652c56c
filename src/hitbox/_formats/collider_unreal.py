"""GLB for Unreal: collision meshes, whose names tell their kind, and the render mesh they belong to."""

from __future__ import annotations

import numpy as np

from hitbox._formats.export import Export
from hitbox._formats.gltf_file import Buffer, packed
from hitbox._formats.local_frames import extras_of
from hitbox._formats.unreal_meshes import collision_meshes, target

TARGET = target("m")  # Unreal's importer converts metres to centimetres


def files(export: Export) -> dict[str, bytes]:
    buffer = Buffer()
    nodes = []
    if export.mesh is not None:
        every = np.ones(export.mesh.face_count, bool)
        nodes.append({"name": export.name, "mesh": buffer.add_render_mesh(export.name, export.mesh, every)})
    for named in collision_meshes(export):
        material = buffer.kind_material(named.item.shape.kind)
        mesh = buffer.add_mesh(named.name, named.vertices, named.triangles, material)
        extras = extras_of(named.item.shape, named.item.label)
        nodes.append({"name": named.name, "mesh": mesh, "extras": extras})
    document = buffer.document(export.collider, export.name, nodes, range(len(nodes)))
    return {export.file: packed(document, bytes(buffer.binary), export.file)}
