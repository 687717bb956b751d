// A page that shows the interface's own description. It loads nothing from elsewhere; it fetches /openapi.json with the token from the
// address's fragment, which a browser never sends, or with one typed in.

import type { FixedPage } from "./pages.ts";

const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Hallpass: the interface</title>
<link rel="stylesheet" href="/docs/docs.css">
<script src="/docs/docs.js" defer></script>
</head>
<body>
<header><h1>Hallpass: the interface</h1><p id="about">Every address takes a bearer token.</p></header>
<form id="enter" hidden><label>Token <input id="token" type="password" autocomplete="off" required></label> <button>Show</button></form>
<p id="wrong" role="alert" hidden></p>
<main id="routes"></main>
</body>
</html>
`;

const css = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem 1.5rem 4rem; }
h2 { margin-top: 2.5rem; text-transform: capitalize; }
details { border: 1px solid color-mix(in srgb, currentColor 20%, transparent); border-radius: .5rem; margin: .5rem 0; padding: .5rem .75rem; }
summary { cursor: pointer; }
summary code { margin-right: .5rem; }
.method { display: inline-block; font-weight: 700; min-width: 4rem; }
.role { border: 1px solid currentColor; border-radius: 1rem; font-size: .75rem; margin-left: .5rem; padding: 0 .5rem; }
pre { background: color-mix(in srgb, currentColor 7%, transparent); border-radius: .5rem; overflow: auto; padding: .75rem; }
`;

const script = `"use strict";
const at = (id) => document.getElementById(id);
const made = (name, text, className) => {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  if (className !== undefined) element.className = className;
  return element;
};
const fromAddress = new URLSearchParams(location.hash.slice(1)).get("token");
// Taken out of the address at once, so that it is in no history.
if (fromAddress !== null) history.replaceState(null, "", location.pathname);
const schemaOf = (held) => Object.values(held?.content ?? {})[0]?.schema;
const part = (parent, title, schema) => {
  if (schema === undefined) return;
  parent.append(made("h4", title), made("pre", JSON.stringify(schema, null, 2)));
};
const show = (api) => {
  at("about").textContent = api.info.description + " Version " + api.info.version + ".";
  const groups = new Map();
  for (const [path, methods] of Object.entries(api.paths))
    for (const [method, operation] of Object.entries(methods)) {
      const tag = operation.tags[0];
      if (!groups.has(tag)) groups.set(tag, []);
      groups.get(tag).push({ path, method, operation });
    }
  for (const [tag, operations] of groups) {
    const section = made("section");
    section.append(made("h2", tag));
    for (const { path, method, operation } of operations) {
      const details = made("details");
      const summary = made("summary");
      summary.append(made("span", method.toUpperCase(), "method"), made("code", path), made("span", operation.summary), made("span", operation["x-role"], "role"));
      details.append(summary);
      for (const parameter of operation.parameters ?? []) part(details, parameter.in + " " + parameter.name + (parameter.required ? "" : ", optional"), parameter.schema);
      part(details, "body", schemaOf(operation.requestBody));
      part(details, "answer", schemaOf(operation.responses["200"]));
      section.append(details);
    }
    at("routes").append(section);
  }
};
const load = async (token) => {
  const response = await fetch("/openapi.json", { headers: { authorization: "Bearer " + token } });
  const said = await response.json();
  at("wrong").hidden = response.ok;
  at("enter").hidden = response.ok;
  if (response.ok) show(said);
  else at("wrong").textContent = said.error.message;
};
at("enter").addEventListener("submit", (event) => {
  event.preventDefault();
  load(at("token").value);
});
if (fromAddress === null) at("enter").hidden = false;
else load(fromAddress);
`;

export const docsPage: ReadonlyMap<string, FixedPage> = new Map([
  ["/docs", { media: "text/html; charset=utf-8", text: html }],
  ["/docs/docs.css", { media: "text/css; charset=utf-8", text: css }],
  ["/docs/docs.js", { media: "text/javascript; charset=utf-8", text: script }],
]);
