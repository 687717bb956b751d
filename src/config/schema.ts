// The shape of a policy file, for editors and for publishing as `policy.schema.json`. It defines no type of ours and loads nothing:
// core's `parsePolicy` decides what a policy is, and `schema.test.ts` holds the two to the same shapes. What needs more than a
// shape (patterns, places, examples, a deny that can never deny) only `parsePolicy` knows.

import { z } from "zod";

const word = z
  .enum(["allow", "ask", "deny"])
  .meta({ id: "verdict", description: "allow: it is done. ask: a person is asked first. deny: it is not done." });

const text = z.string().min(1);
const texts = z.union([text, z.array(text)]).meta({ id: "texts", description: "One text, or a list of them." });

const rule = z
  .union([
    word,
    z.strictObject({
      verdict: word.describe("What happens to what the pattern matches."),
      why: z.string().max(500).optional().describe("The reason, shown to whoever meets this rule. At most 500 characters."),
      matches: texts.optional().describe("Paths the pattern must match. The policy does not load if one of them is not matched."),
      not: texts.optional().describe("Paths the pattern must not match. The policy does not load if one of them is matched."),
    }),
  ])
  .meta({ id: "rule", description: "A verdict, or an object with the verdict, its reason and its examples." });

const list = z.union([word, z.record(text, rule)]).meta({
  id: "list",
  description:
    "One verdict for everything outside scope, or a list of patterns in order: the first that matches a path speaks. `*` is the last word on what is outside scope, wherever it stands.",
});

const lists = z.strictObject({
  read: list.optional().describe("For reading, listing and searching outside the workspace."),
  write: list.optional().describe("For creating, changing and removing outside the workspace."),
});

const names = (what: string) =>
  z.strictObject({
    except: texts
      .optional()
      .describe(`Patterns of ${what} that are taken off the builtin list. Only the operator's and the administrator's count.`),
    add: texts.optional().describe(`Patterns of further ${what}.`),
  });

/** A policy file. Unknown keys are refused. */
const commands = z.strictObject({
  network: z
    .enum(["none", "host"])
    .optional()
    .describe(
      "What commands have of the network. none: nothing, not even this machine's own services, and nobody is asked. host: as any program of yours, and nobody is asked. Where nobody says, a person is asked about it for commands of the bash tool, and those of a host's own shell have it.",
    ),
});

export const policySchema = z.strictObject({
  $schema: z.string().optional().describe("Where the editor finds this schema. It has no other meaning."),
  preset: z
    .enum(["strict", "balanced", "open-read"])
    .optional()
    .describe(
      "What holds where this file says nothing. strict: ask every time, git-ignored files denied. balanced: the default. open-read: reading is allowed everywhere but for secrets.",
    ),
  read: list.optional().describe("What may be read, listed and searched, matched on real paths, inside the workspace and out."),
  write: list.optional().describe("What may be created, changed and removed, matched on real paths, inside the workspace and out."),
  permission: z
    .strictObject({
      external_directory: z
        .union([word, lists])
        .optional()
        .describe(
          "Rules that hold only outside the workspace: one verdict for both rights, or `read` and `write` each with a verdict or a list.",
        ),
    })
    .optional()
    .describe("The shape other agents use for what lies outside the workspace."),
  secrets: names("secrets").optional().describe("Changes to the list of files that are never read, listed, searched or written."),
  protected: names("protected names")
    .optional()
    .describe("Changes to the list of files that run later (git, editor, shell and agent configuration) and are never written."),
  gitignored: word.optional().describe("What happens to files that git ignores, inside scope. Default: allow; in the preset strict: deny."),
  hardlinks: word.optional().describe("What happens to files that have more than one name, inside scope. Default: allow."),
  ceilings: texts
    .optional()
    .describe("Directories, absolute or beginning with `~/`, that a grant must lie below. Default: the home directory and /opt."),
  projects: texts
    .optional()
    .describe("Directories, absolute or beginning with `~/`, that are granted as a whole when something in them is asked for."),
  asks: z
    .strictObject({
      by: z
        .enum(["model", "guard"])
        .optional()
        .describe("Who raises an ask. model: the model, after a hint. guard: the guard by itself. Default: the host's own habit."),
      offer: z
        .enum(["once", "session"])
        .optional()
        .describe(
          "What a yes may be for. once: this path and this call only. session: also the repository around it, for reading, until the session ends.",
        ),
    })
    .optional()
    .describe("How asking is done."),
  workspaces: z
    .record(
      text,
      z.strictObject({
        read: list.optional().describe("What may be read from this workspace, after all other rules."),
        commands: commands.optional().describe("What commands have in this workspace. With what is said for all, the stricter counts."),
      }),
    )
    .optional()
    .describe(
      "Rules that hold in one workspace alone, named by its directory, absolute or beginning with `~/`. A grant that is kept for a project is written here.",
    ),
  sessions: z
    .strictObject({
      idle_hours: z
        .number()
        .min(1)
        .max(8760)
        .optional()
        .describe("Hours without use after which a session ends that another program drives, with its grants. Default: 24."),
    })
    .optional()
    .describe("When sessions end by themselves. Of several policies the shortest time counts."),
  hooks: z
    .strictObject({
      without_daemon: z
        .enum(["spool", "deny"])
        .optional()
        .describe(
          "What hooks do while no daemon answers. spool: decide by the policy files and keep the decision, which the daemon adds to the record later; the default. deny: let nothing through that would have to be recorded.",
        ),
    })
    .optional()
    .describe("What hooks of other agents may do by themselves. Of several policies `deny` counts."),
  commands: commands
    .optional()
    .describe("What commands have besides files. A repository's own policy may shut the network, never open it."),
});

/** The schema as a JSON Schema document, draft 2020-12. */
export function policyJsonSchema(): Readonly<Record<string, unknown>> {
  const { $schema, ...schema } = z.toJSONSchema(policySchema, { target: "draft-2020-12", io: "input" });
  return {
    $schema,
    $id: "urn:hallpass:policy.schema.json",
    title: "Hallpass policy",
    description:
      "What an agent may read and write, said by the operator, the administrator or a repository. The language is described in docs/policy.md.",
    ...schema,
  };
}

/** The text of `policy.schema.json`; `scripts/policy-schema.ts` writes it. */
export function policySchemaText(): string {
  return `${JSON.stringify(policyJsonSchema(), null, 2)}\n`;
}
