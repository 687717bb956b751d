// The entry point `hallpass/server`: a whole app in this process, without a port. For one with a port run `hallpass serve`.

export type { AppConnection } from "../wire/connection.ts";
export { openApp, type OpenAppOptions, type OwnApp } from "./open-app.ts";
