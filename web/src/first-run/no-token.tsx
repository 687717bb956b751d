// The page was opened without its token: by its bare address, or in another browser.

export function NoToken() {
  return (
    <main className="mx-auto grid h-full max-w-md content-center gap-3 px-6">
      <h1 className="text-xl font-semibold tracking-tight">This browser is not known here</h1>
      <p className="text-soft">
        Hallpass answers only to whoever started it. Open the address that <code className="font-mono text-[0.9em]">hallpass serve</code>{" "}
        printed, with everything behind the #; it is taken once and kept for this browser.
      </p>
    </main>
  );
}
