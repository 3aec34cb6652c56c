// Cooks hulls with PhysX as for a GPU: node cook_gpu.mjs IN OUT, both lists of lists of points as JSON.
import fs from 'fs';

const [input, output] = process.argv.slice(2);
const hulls = JSON.parse(fs.readFileSync(input));
const wasmBinary = fs.readFileSync('node_modules/physx-js-webidl/physx-js-webidl.wasm');
const { default: PhysX } = await import('physx-js-webidl');

// It is built for browsers, and refuses what looks like node.
const kept = globalThis.process;
globalThis.WorkerGlobalScope = function () {};
globalThis.self = globalThis;
globalThis.location = { href: 'file:///' };
delete globalThis.process;
const px = await PhysX({ wasmBinary });
globalThis.process = kept;

const top = px.PxTopLevelFunctions.prototype;
top.CreateFoundation(top.PHYSICS_VERSION, new px.PxDefaultAllocator(), new px.PxDefaultErrorCallback());
const params = new px.PxCookingParams(new px.PxTolerancesScale());
params.buildGPUData = true;

const cooked = hulls.map((points) => {
  const given = new px.PxArray_PxVec3(points.length);
  points.forEach(([x, y, z], k) => Object.assign(given.get(k), { x, y, z }));
  const desc = new px.PxConvexMeshDesc();
  desc.points.count = points.length;
  desc.points.stride = 12;
  desc.points.data = given.begin();
  desc.flags = new px.PxConvexFlags(px.PxConvexFlagEnum.eCOMPUTE_CONVEX);
  const mesh = top.CreateConvexMesh(params, desc);
  const first = mesh.getVertices();
  return Array.from({ length: mesh.getNbVertices() }, (_, k) => {
    const { x, y, z } = px.NativeArrayHelpers.prototype.getVec3At(first, k);
    return [x, y, z];
  });
});
fs.writeFileSync(output, JSON.stringify(cooked));
