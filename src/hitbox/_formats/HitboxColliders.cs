// Puts the colliders of NAME.unity.json on NAME.obj when Unity imports it. Made by hitbox.
// One copy in a folder called Editor is enough for a project.
using System.IO;
using UnityEditor;
using UnityEngine;

public class HitboxColliders : AssetPostprocessor
{
    [System.Serializable]
    class Shape
    {
        public string id, type;
        public Vector3 center, up, forward, size;
        public float radius, height;
    }

    [System.Serializable]
    class Sidecar
    {
        public bool dynamic;
        public float mass;
        public Vector3 centerOfMass, inertia, inertiaUp, inertiaForward;
        public Shape[] shapes;
    }

    // Where the file's axes have gone: importers mirror one of them, and may scale.
    struct Frame
    {
        public Vector3 origin, x, y, z;
        public float Scale => x.magnitude;
        public Vector3 Direction(Vector3 v) => v.x * x + v.y * y + v.z * z;
        public Vector3 Point(Vector3 p) => origin + Direction(p);
        public Quaternion Rotation(Vector3 forward, Vector3 up) =>
            Quaternion.LookRotation(Direction(forward), Direction(up));
    }

    string SidecarPath => Path.ChangeExtension(assetPath, ".unity.json");

    void OnPreprocessModel()
    {
        if (!File.Exists(SidecarPath)) return;
        context.DependsOnSourceAsset(SidecarPath);
        var importer = (ModelImporter)assetImporter;
        importer.isReadable = true; // a convex MeshCollider needs it
        importer.meshCompression = ModelImporterMeshCompression.Off;
    }

    void OnPostprocessModel(GameObject root)
    {
        if (!File.Exists(SidecarPath)) return;
        var sidecar = JsonUtility.FromJson<Sidecar>(File.ReadAllText(SidecarPath));
        var marker = Find(root, "hitbox_frame");
        if (marker == null)
        {
            Debug.LogError(assetPath + ": hitbox_frame is missing, so no colliders were made.");
            return;
        }
        var frame = FrameOf(root, marker);
        foreach (var shape in sidecar.shapes) Add(root, shape, frame);
        Object.DestroyImmediate(marker.gameObject);
        if (sidecar.dynamic) AddBody(root, sidecar, frame);
    }

    // The marker's corners are 1, 2 and 3 away along x, y and z.
    static Frame FrameOf(GameObject root, Transform marker)
    {
        var corners = marker.GetComponent<MeshFilter>().sharedMesh.vertices;
        for (int k = 0; k < corners.Length; k++)
            corners[k] = root.transform.InverseTransformPoint(marker.TransformPoint(corners[k]));
        var origin = root.transform.InverseTransformPoint(marker.TransformPoint(Vector3.zero));
        System.Array.Sort(corners, (a, b) =>
            (a - origin).sqrMagnitude.CompareTo((b - origin).sqrMagnitude));
        float unit = (corners[corners.Length - 1] - origin).magnitude / 3;
        Vector3 At(float distance)
        {
            var best = corners[0];
            foreach (var corner in corners)
                if (Mathf.Abs((corner - origin).magnitude - distance * unit) <
                    Mathf.Abs((best - origin).magnitude - distance * unit)) best = corner;
            return (best - origin) / distance;
        }
        return new Frame { origin = origin, x = At(1), y = At(2), z = At(3) };
    }

    static void Add(GameObject root, Shape shape, Frame frame)
    {
        if (shape.type == "hull")
        {
            var found = Find(root, shape.id);
            if (found == null)
            {
                Debug.LogError(root.name + ": the model has no object " + shape.id + ".");
                return;
            }
            var hull = found.gameObject.AddComponent<MeshCollider>();
            hull.sharedMesh = found.GetComponent<MeshFilter>().sharedMesh;
            hull.convex = true;
            Object.DestroyImmediate(found.GetComponent<MeshRenderer>());
            return;
        }
        var child = new GameObject(shape.id);
        child.transform.SetParent(root.transform, false);
        child.transform.localPosition = frame.Point(shape.center);
        child.transform.localRotation = frame.Rotation(shape.forward, shape.up);
        switch (shape.type)
        {
            case "box":
                child.AddComponent<BoxCollider>().size = shape.size * frame.Scale;
                break;
            case "sphere":
                child.AddComponent<SphereCollider>().radius = shape.radius * frame.Scale;
                break;
            case "capsule":
                var capsule = child.AddComponent<CapsuleCollider>();
                capsule.direction = 1;
                capsule.radius = shape.radius * frame.Scale;
                capsule.height = shape.height * frame.Scale;
                break;
        }
    }

    static void AddBody(GameObject root, Sidecar sidecar, Frame frame)
    {
        var body = root.AddComponent<Rigidbody>();
        body.mass = sidecar.mass;
#if UNITY_2022_2_OR_NEWER
        body.automaticCenterOfMass = false;
        body.automaticInertiaTensor = false;
#endif
        body.centerOfMass = frame.Point(sidecar.centerOfMass);
        body.inertiaTensor = sidecar.inertia * frame.Scale * frame.Scale;
        body.inertiaTensorRotation = frame.Rotation(sidecar.inertiaForward, sidecar.inertiaUp);
    }

    static Transform Find(GameObject root, string name)
    {
        foreach (var each in root.GetComponentsInChildren<Transform>(true))
            if (each.name == name) return each;
        return null;
    }
}
