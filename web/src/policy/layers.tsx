// The layers of the policy in force: who wrote each, where, and every rule with its line.

import { Note, SectionHeading } from "../parts/note.tsx";
import { FullPath, Shown } from "../parts/shown.tsx";
import { markOf, Verdict } from "../parts/verdict.tsx";
import { count } from "../words/counts.ts";
import type { ShownPolicy } from "./policy-page.tsx";

const authors = {
  builtin: "Built in",
  administrator: "Administrator",
  operator: "You (operator)",
  project: "The project",
};

export function Layers({ policy }: { readonly policy: ShownPolicy }) {
  return (
    <section aria-label="Layers">
      <SectionHeading aside={<span className="text-xs text-faint">preset: {policy.preset}</span>}>Layers in force</SectionHeading>
      <p className="mb-3 text-sm text-soft">
        In one file the first match wins; across files the strictest wins. A deny is final, and no grant lifts it.
      </p>
      <div className="grid gap-3">
        {policy.layers.map((layer) => (
          <details
            key={`${layer.author} ${layer.file ?? ""}`}
            open={layer.author !== "builtin" && layer.rules.length > 0}
            className="rounded-xl border border-line bg-surface"
          >
            <summary className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-0.5 rounded-xl px-4 py-2">
              <span className="font-medium">{authors[layer.author]}</span>
              {layer.file !== null && <FullPath path={layer.file} className="text-soft" />}
              <span className="ml-auto text-xs text-faint">{layer.exists ? count(layer.rules.length, "rule") : "no file"}</span>
            </summary>
            {layer.rules.length === 0 ? (
              <p className="border-t border-line px-4 py-2.5 text-sm text-soft">No rules.</p>
            ) : (
              <div
                className="overflow-x-auto border-t border-line"
                tabIndex={0}
                role="group"
                aria-label={`Rules: ${authors[layer.author]}`}
              >
                <table className="w-full text-sm">
                  <thead className="text-left text-xs text-faint">
                    <tr>
                      <th className="px-4 py-1.5 font-medium">right</th>
                      <th className="px-2 font-medium">pattern</th>
                      <th className="px-2 font-medium">verdict</th>
                      <th className="px-2 font-medium">why</th>
                      <th className="px-4 text-right font-medium">line</th>
                    </tr>
                  </thead>
                  <tbody>
                    {layer.rules.map((rule, index) => (
                      <tr key={index} className="border-t border-line align-top">
                        <td className="px-4 py-1.5 text-soft">{rule.right}</td>
                        <td className="px-2 py-1.5">
                          <FullPath path={rule.glob} />
                        </td>
                        <td className="px-2 py-1.5">
                          <Verdict mark={markOf(rule.verdict)} word={rule.verdict} />
                        </td>
                        <td className="px-2 py-1.5 text-soft">{rule.why !== null && <Shown text={rule.why} />}</td>
                        <td className="px-4 py-1.5 text-right font-mono text-xs text-faint" title={rule.file ?? undefined}>
                          {rule.line ?? ""}
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            )}
          </details>
        ))}
        {policy.layers.length === 0 && <Note>No layer could be read.</Note>}
      </div>
    </section>
  );
}
