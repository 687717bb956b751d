// What is tried in every host, in the host's own tools. A case says what the guard promises: `opens` true (it must reach the model), false
// (it must not) or null (nothing is promised, and the guides say so); for a person's inbox also what the person does meanwhile.

/** In a call's place: the model says that it is done, and whoever started it goes on. */
export const END = "end";

/** Calls that no person is asked about. `tools` are the host's: a tool it does not have gives null, and the case falls away. */
export function plainCases(tools, { at, fileOf, confined }) {
  const read = (label, opens, path = fileOf(label)) => ({ label, opens, call: tools.read?.(path) });
  const shell = (label, opens, command) => ({ label, opens, call: tools.shell(command) });
  return offered([
    read("read, inside", true),
    read("read, outside", false),
    read("read, through a link", false, at("ws/link/read-link.txt")),
    read("read, a secret", false),
    read("read, allowed by policy", true),
    { label: "search, inside", opens: true, call: tools.search?.(at("ws/search")) },
    { label: "search, outside", opens: false, call: tools.search?.(at("other/search")) },
    { label: "search, through a link", opens: false, call: tools.search?.(at("ws/link/search-link")) },
    // In the middle of what the model may see: the secret's lines are not among what is found.
    { label: "search, a secret among others", opens: false, call: tools.search?.(at("ws/among")) ?? tools.shell("grep -r MARK among") },
    { label: "names, outside", opens: false, call: tools.names?.(at("other/names")) },
    { label: "write, inside", opens: true, call: tools.write(at("ws/write.txt"), at("ws/write-new.txt")) },
    { label: "write, a secret", opens: false, call: tools.write(at("ws/write.env"), at("ws/write-new.env")) },
    { label: "write, outside", opens: false, call: tools.write(at("other/write.txt"), at("other/write-new.txt")) },
    { label: "write, through a link", opens: false, call: tools.write(at("ws/link/write-link.txt"), at("ws/link/write-link-new.txt")) },
    shell("shell, inside", true, "cat inside.txt"),
    shell("shell, outside", false, "cat ../other/shell.txt"),
    shell("shell, through a link", false, "cat link/shell-link.txt"),
    shell("shell, hidden in a variable", false, 'f=../other/variable.txt; cat "$f"'),
    shell("shell, in another shell", false, 'sh -c "cat ../other/nested.txt"'),
    shell("shell, recursive search", false, "grep -r MARK ../other/deep"),
    shell("shell, a secret", false, "cat shell.env"),
    // Most hosts leave a project's file of variables alone by themselves.
    { ...shell("environment, a secret", false, "env"), mayHoldItself: true },
    shell("shell, writing outside", false, "echo changed > ../other/shell-write.txt"),
    shell("shell, a program of its own", confined ? false : null, "node read.cjs"),
    shell("shell, allowed by policy", true, `cat ${fileOf("shell, allowed by policy")}`),
    shell(RULED, true, "head ruled.txt"),
    ...finding(tools, "read_file"),
    { label: "our tool, allowed by policy", opens: true, call: tools.ours("read_file", { path: fileOf("our tool, allowed by policy") }) },
    { label: "our tool, outside", opens: false, call: tools.ours("read_file", { path: fileOf("our tool, outside") }) },
    { label: "words for a skill, a file", opens: false, call: tools.skill?.(`@${fileOf("words for a skill, a file")}`) },
    // Last, since whoever is started by it takes the turn after it.
    { label: "words for a sub-agent, a file", opens: false, call: tools.prompt?.(`@${fileOf("words for a sub-agent, a file")}`) },
  ]);
}

const RULED = "shell, a command for its own rules";

/** With a rule of the host's own against one command. */
export function ruledCases(tools) {
  return offered([
    { label: "shell, inside", opens: true, call: tools.shell("cat inside.txt") },
    { label: RULED, opens: false, call: tools.shell("head ruled.txt") },
  ]);
}

/** The host takes no notice of the setting that leads its shell: what runs is not confined, the session is marked, and its text is judged. */
export function unledCases(tools) {
  const shell = (label, opens, command) => ({ label, opens, unverified: true, call: tools.shell(command) });
  return offered([
    shell("shell, a program of its own", true, "node read.cjs"),
    shell("shell, outside", false, "cat ../other/shell.txt"),
    shell("shell, hidden in a variable", false, 'f=../other/variable.txt; cat "$f"'),
    shell("shell, recursive search", false, "grep -r MARK ../other/deep"),
    ...finding(tools, "read_file"),
    { label: "our tool, outside", opens: false, call: tools.ours("read_file", { path: "../other/ours.txt" }) },
  ]);
}

/** Another hook makes a program of its own out of every command: it is confined, or the session is marked. */
export function rewrittenCases(tools, { guarded }) {
  return offered([
    { label: "shell, rewritten by another hook", opens: null, marked: guarded, call: tools.shell("echo rewrite") },
    ...finding(tools, "read_file"),
    { label: "our tool, outside", opens: false, call: tools.ours("read_file", { path: "../other/ours.txt" }) },
  ]);
}

/**
 * With the daemon and a person at its inbox, in two runs of the host: the second goes on with the session of the first. `person` is what the
 * person does about the ask of this call (absent: leaves it alone), `asks` how many there must be; `before` happens before the call.
 */
export function inboxCases(tools, { at, fileOf, confined: led, inside, settings }) {
  const confined = led || inside;
  /** In our sandbox nothing of ours is installed in the host: every call of its own waits by itself. */
  const asks = inside ? undefined : tools.asks;
  const read = tools.granted ?? tools.read ?? ((path) => tools.shell(`cat ${path}`));
  const search = tools.grantedSearch ?? tools.search ?? ((dir) => tools.shell(`grep -r MARK ${dir}`));
  /** A host whose refused calls do not ask by themselves has a tool that asks. */
  const asking = (label, person) =>
    asks === undefined
      ? [{ label, opens: person === "allow", asks: 1, person, call: read(fileOf(label)) }]
      : [
          { label: `(asking: ${label})`, opens: null, asks: 1, person, call: asks(fileOf(label)) },
          { label, opens: person === "allow", asks: 0, call: read(fileOf(label)) },
        ];
  /** A child agent never has its parent's grants. */
  const childRead = (label) => ({ label, opens: false, child: true, call: read(fileOf(label)) });
  const granted = (label, call) => ({ label, opens: true, asks: 0, call });
  /** A host whose shell is led into the sandbox: a program's own \`open\` waits for the person. */
  const program = (label, opens, file, more) => ({
    label,
    opens: confined ? opens : null,
    ...(confined ? more : {}),
    call: tools.shell(`node ${file}`),
  });
  const first = [
    program("a program of its own, answered with no", false, "read-no.cjs", { asks: 1, person: "deny" }),
    program("a program of its own, answered with yes", true, "read-yes.cjs", { asks: 1, person: "allow" }),
    program("a program of its own, granted", true, "read-after.cjs", { asks: 0, verified: !inside }),
    // Elsewhere the call would ask by itself.
    ...(asks === undefined ? [] : [{ label: "before a yes", opens: false, asks: 0, call: read(fileOf("before a yes")) }]),
    ...asking("asked, nobody answers", null),
    ...asking("asked, answered with no", "deny"),
    ...asking("asked, answered with yes", "allow"),
    granted("granted, another file", read(fileOf("granted, another file"))),
    granted("granted, search", search(at("asked/search"))),
    ...(tools.granted === undefined || tools.read === undefined
      ? []
      : [{ label: "granted, its own reading tool", opens: null, call: tools.read(fileOf("granted, its own reading tool")) }]),
    { label: "granted, a secret there", opens: false, asks: 0, call: read(fileOf("granted, a secret there")) },
    { label: "granted, writing there", opens: false, asks: 0, call: tools.write(at("asked/write.txt"), at("asked/write-new.txt")) },
    { label: "granted, another repository", opens: false, call: read(fileOf("granted, another repository")) },
    { label: SETTINGS, opens: false, call: tools.shell(`printf '\\n\\n\\n' >> ${settings}`) },
    // In our sandbox all of a program is one.
    ...(tools.agent === undefined || inside
      ? []
      : [
          { label: "(starting a sub-agent)", opens: null, call: { ...tools.agent(), agent: true } },
          childRead("granted to its parent, sub-agent"),
          childRead("outside, sub-agent"),
          { ...program("a program of its own, sub-agent", false, "read-child.cjs", {}), child: true },
          { label: "(its end)", opens: null, child: true, call: END },
        ]),
  ];
  const ours = (label, opens, more = {}) => ({ label, opens, ...more, call: tools.ours("read_file", { path: fileOf(label) }) });
  const words = { path: fileOf("our tool, answered with yes"), reason: "to compare" };
  const second = [
    ...(inside ? [{ label: "its history", opens: true, call: tools.shell("cat inside.txt") }] : []),
    // Its session ended with the process that had it, as soon as the daemon saw that it is gone.
    { label: "granted before it was started", opens: null, call: read(fileOf("granted before it was started")) },
    ...finding(tools, "read_file,request_read_access"),
    // In most hosts one session with the hook, which is new here and has no grant.
    ours("granted to the hook, our tool", null),
    { label: "revoked, reading", opens: false, before: "revoke", call: read(fileOf("revoked, reading")) },
    { label: "revoked, shell", opens: false, call: tools.shell(`cat ${fileOf("revoked, shell")}`) },
    ours("our tool, before a yes", false, { asks: 0 }),
    { label: "(our tool asks)", opens: null, asks: 1, person: "allow", call: tools.ours("request_read_access", words) },
    ours("our tool, answered with yes", true, { asks: 0 }),
    ours("our tool, a secret there", false, { asks: 0 }),
    { label: "granted to our tool, its own tool", opens: null, call: read(fileOf("granted to our tool, its own tool")) },
    ours("our tool, revoked", false, { before: "revoke", asks: 0 }),
    ...asking("asked again, answered with yes", "allow"),
    {
      label: "granted, and the daemon killed",
      opens: inside ? null : false,
      before: "kill",
      call: read(fileOf("granted, and the daemon killed")),
    },
  ];
  return [offered(first), offered(second)];
}

/** A file that the host obeys later, which a command adds empty lines to. */
export const SETTINGS = "its own settings, changed";

/** opencode's own dialog, without a daemon. */
export function dialogCases(tools, { at, fileOf }) {
  const read = (label, opens) => ({ label, opens, call: tools.read(fileOf(label)) });
  return offered([
    read("before a yes", false),
    { label: "(asking)", opens: null, call: tools.asks(fileOf("asked, answered with yes")) },
    read("asked, answered with yes", true),
    { label: "granted, search", opens: true, call: tools.search(at("asked/search")) },
    read("granted, a secret there", false),
    { label: "granted, writing there", opens: false, call: tools.write(at("asked/write.txt"), null) },
    read("granted, another repository", false),
  ]);
}

/** Some hosts show a server's tools only to whoever looks for them. */
const finding = (tools, names) =>
  tools.find === undefined ? [] : [{ label: "(finding our tools)", opens: null, call: tools.find(names) }];
const offered = (cases) => cases.filter(({ call }) => call !== undefined && call !== null);
