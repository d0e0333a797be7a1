"""What a cluster for tests lacks: a folder on the node for each claim, gone with the claim; and the kind `Sandbox`."""

import argparse
import asyncio
import json
import shutil
import sys
from pathlib import Path

from perdure.workspaces.kubernetes.access import from_kubeconfig
from perdure.workspaces.kubernetes.api import CORE, Cluster, ClusterAway, ClusterFault, Object

CLASS, NAME = "folders", "perdure.test/folders"
PERIOD_SECONDS = 0.2


class Provisioner:
    """Makes what claims of its class want, on one node."""

    def __init__(self, cluster: Cluster, folder: Path, node: str) -> None:
        self._cluster, self._folder, self._node = cluster, folder, node

    async def prepare(self) -> None:
        made = {
            "metadata": {"name": CLASS}, "provisioner": NAME, "volumeBindingMode": "Immediate",
            "reclaimPolicy": "Delete",
        }  # fmt: skip
        await self._cluster.create("apis/storage.k8s.io/v1", "storageclasses", "", made)
        kind = json.loads((Path(__file__).parent / "sandbox-crd.json").read_text())
        await self._cluster.create("apis/apiextensions.k8s.io/v1", "customresourcedefinitions", "", kind)

    async def run(self) -> None:
        while True:
            try:
                await self.round()
            except (ClusterAway, ClusterFault) as error:
                sys.stderr.write(f"the cluster is away: {error}\n")
            await asyncio.sleep(PERIOD_SECONDS)

    async def round(self) -> None:
        for claim in (await self._cluster.ask("api/v1/persistentvolumeclaims"))["items"]:
            if claim["spec"].get("storageClassName") == CLASS and not claim["spec"].get("volumeName"):
                await self._make(claim)
        for volume in (await self._cluster.ask("api/v1/persistentvolumes"))["items"]:
            if volume["spec"].get("storageClassName") == CLASS and volume["status"].get("phase") == "Released":
                await asyncio.to_thread(shutil.rmtree, volume["spec"]["local"]["path"], True)
                await self._cluster.delete(CORE, "persistentvolumes", "", volume["metadata"]["name"])

    async def _make(self, claim: Object) -> None:
        metadata = claim["metadata"]
        path = self._folder / metadata["uid"]
        path.mkdir(parents=True, exist_ok=True)
        node = {"key": "kubernetes.io/hostname", "operator": "In", "values": [self._node]}
        spec = {
            "capacity": {"storage": claim["spec"]["resources"]["requests"]["storage"]},
            "accessModes": claim["spec"]["accessModes"], "persistentVolumeReclaimPolicy": "Delete",
            "storageClassName": CLASS, "local": {"path": str(path)},
            "claimRef": {"namespace": metadata["namespace"], "name": metadata["name"], "uid": metadata["uid"]},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [node]}]}},
        }  # fmt: skip
        await self._cluster.create(
            CORE, "persistentvolumes", "", {"metadata": {"name": f"f-{metadata['uid']}"}, "spec": spec}
        )


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("kubeconfig", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--node", default="node-1")
    asked = parser.parse_args()
    provisioner = Provisioner(Cluster(from_kubeconfig(asked.kubeconfig)), asked.folder, asked.node)
    await provisioner.prepare()
    await provisioner.run()


if __name__ == "__main__":
    asyncio.run(main())
