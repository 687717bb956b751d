// Stands before the hook's bundle, and is kept with it: gives its modules what they ask for, and loads its other files when they are
// needed, each with the code V8 made of it. `fs`, `vm`, `builtin` and `folder` are what the loader had already; `keep` is the build's.
const found = { "node:fs": fs };
// Each module asks for itself; Node's way of finding one out takes longer than keeping it.
const require = (id) => (found[id] ??= id.startsWith("./") ? loaded(id.slice(2, -4)) : builtin(id));

function loaded(name) {
  const filename = `${folder}/${name}.cjs`;
  let cachedData;
  try {
    cachedData = fs.readFileSync(`${folder}/${name}.cache`);
  } catch {}
  const script = new vm.Script(fs.readFileSync(filename, "utf8"), { filename, cachedData });
  keep?.(name, script);
  const part = {};
  script.runInThisContext()(require, part);
  return part.exports;
}
