// Health and figures of the daemon itself, and its projects.

import { basename } from "node:path";
import { openSession } from "../../core/session/session.ts";
import type { AppPorts } from "../ports.ts";
import { Refusal } from "../problem.ts";
import type { Handlers } from "./handler.ts";
import { fromHome } from "./root-paths.ts";

/** So many open asks are read to count them. */
const READ = 200;

export function daemonRoutes(ports: AppPorts): Pick<Handlers, "health" | "metrics" | "listProjects" | "addProject"> {
  const { store, storeKind, isStoreWell, version, machine, model, startedAt } = ports;
  return {
    async health() {
      const counted = await store.openAsks();
      // One that cannot be read cannot be answered: it is no open request, and is named with what is damaged.
      const openAsks = counted === 0 || counted > READ ? counted : (await store.asks({ state: "open" })).length;
      return { ok: isStoreWell(), degraded: [...store.damage()], version, store: storeKind, machine, model: model(), startedAt, openAsks };
    },

    metrics: () => ports.metrics(),

    async listProjects() {
      return (await store.projects()).map(({ id, path, name, at }) => ({ id, path, name, at }));
    },

    async addProject({ body: { path, name } }) {
      // A project is what a yes may open, so it must be fit to be a root; its real name is what is kept.
      const opened = openSession({ workspace: fromHome(path, ports.home), home: ports.home });
      if (!opened.ok) throw new Refusal(opened.code, opened.code === "root-too-broad" ? TOO_BROAD : opened.message, { status: 400 });
      const real = opened.session.workspace.dir;
      if (real === opened.session.home)
        throw new Refusal("root-too-broad", "that is your home directory; choose a project in it, such as ~/code/shop", { status: 400 });
      const existing = (await store.projects()).find((project) => project.path === real);
      if (existing !== undefined) return { ...existing };
      const project = { id: ports.ids(), path: real, name: name ?? basename(real), at: ports.clock() };
      await store.addProject(project);
      return project;
    },
  };
}

const TOO_BROAD =
  "that directory belongs to the system or holds other people's files, and an agent would write there. Choose one of your projects, such as ~/code/shop";
