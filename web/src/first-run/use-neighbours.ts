// Other repositories that an agent of this session would have to ask for. Each was judged: what is denied, or open already, is not offered as
// a way to see a question.

import { useEffect, useState } from "react";
import { routes } from "../../../src/wire/http.ts";
import type { WireSession } from "../../../src/wire/values.ts";
import { useApp } from "../app-context.ts";

/** How many are judged, and how many offered. */
const JUDGED = 6;
const OFFERED = 2;

export function useNeighbours({ id, workspace }: Pick<WireSession, "id" | "workspace">): readonly string[] {
  const { client } = useApp();
  const [neighbours, setNeighbours] = useState<readonly string[]>([]);
  useEffect(() => {
    const left = new AbortController();
    const { signal } = left;
    const look = async (): Promise<void> => {
      const known = await Promise.all([client.send(routes.listProjects, { signal }), client.send(routes.foundProjects, { signal })]);
      const parent = workspace.slice(0, workspace.lastIndexOf("/") + 1);
      const isBeside = (path: string): boolean => path.startsWith(parent) && !path.slice(parent.length).includes("/");
      // What lies beside the workspace is what its agent is most likely to need.
      const others = known
        .flat()
        .flatMap(({ path }) => (path === workspace ? [] : [path]))
        .sort((one, other) => Number(isBeside(other)) - Number(isBeside(one)));
      const judged = await Promise.all(
        others.slice(0, JUDGED).map(async (path) => {
          const { verdict } = await client.send(routes.explain, { id, body: { path, operation: "list" }, signal });
          return verdict === "ask" ? [path] : [];
        }),
      );
      setNeighbours(judged.flat().slice(0, OFFERED));
    };
    // None is offered where they cannot be judged.
    look().catch(() => {});
    return () => left.abort();
  }, [client, id, workspace]);
  return neighbours;
}
