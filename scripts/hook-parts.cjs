// Stands before the hook's bundle, and is kept with it: gives its modules what they ask for, and loads its other files when they are
// needed, each with the code V8 made of it. `from` is what the loader had already.
const found = { "node:fs": from.fs };
// Each module asks for itself; Node's way of finding one out takes longer than keeping it.
const require = (id) => (found[id] ??= id.startsWith("./") ? loaded(id.slice(2, -4)) : from.builtin(id));

function loaded(name) {
  const filename = `${from.folder}/${name}.cjs`;
  let cachedData;
  try {
    cachedData = from.fs.readFileSync(`${from.folder}/${name}.cache`);
  } catch {}
  const script = new from.vm.Script(from.fs.readFileSync(filename, "latin1"), { filename, cachedData });
  keep(name, script);
  let all;
  script.runInThisContext()(require, (made) => (all = made));
  return all;
}

/** Made by the build, for the Node it ran on; another one passes it over and is slower. */
function keep(name, script) {
  if (process.env.HALLPASS_HOOK_WARM !== name) return;
  const cache = `${from.folder}/${name}.cache`;
  process.on("exit", () => {
    from.fs.writeFileSync(`${cache}.${process.pid}`, script.createCachedData());
    from.fs.renameSync(`${cache}.${process.pid}`, cache);
  });
}
keep("hook-body", from.script);
