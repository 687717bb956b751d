// The sample: a small workspace in the home directory, with a repository beside it, secrets in both and a link from one to the other.
// The guard knows nothing of it: what is asked, shown and refused there is what would be anywhere.

import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { errnoOf } from "../core/errno.ts";

/** Its name in the home directory: only there, unless the policy says otherwise, can anything be asked for. */
export const sampleDirectory = "hallpass-sample";

/** What there is to try in it, by the paths an agent would write. */
export const sampleFiles = { asks: "../price-list/prices.json", link: "prices.json", secret: ".env" } as const;

const FILES: Readonly<Record<string, string>> = {
  "shop/README.md": "# Shop\n\nA sample project. Its prices are kept in another repository, price-list, beside it.\n",
  "shop/package.json": '{\n  "name": "shop",\n  "version": "1.0.0"\n}\n',
  "shop/src/cart.ts": "export const total = (prices: readonly number[]) => prices.reduce((sum, price) => sum + price, 0);\n",
  "shop/.env": "STRIPE_KEY=a-secret-of-the-shop\n",
  "price-list/README.md": "# Price list\n\nWhat everything costs.\n",
  "price-list/prices.json": '{\n  "tea": 4,\n  "coffee": 5\n}\n',
  "price-list/src/discount.ts": "export const discount = 0.1;\n",
  "price-list/.env": "SUPPLIER_KEY=a-secret-of-the-price-list\n",
  "price-list/deploy/id_ed25519": "a private key, or what looks like one\n",
};

/** What git wants to see in an empty repository. */
const REPOSITORY: Readonly<Record<string, string>> = {
  HEAD: "ref: refs/heads/main\n",
  config: "[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
};

/** Make it in the home directory, or what is missing of it. Gives the workspace, by its real name. */
export function plantSample(home: string): string {
  const place = join(home, sampleDirectory);
  const put = (file: string, make: (path: string) => void): void => {
    mkdirSync(dirname(join(place, file)), { recursive: true, mode: 0o700 });
    try {
      make(join(place, file));
    } catch (error) {
      // What is there from an earlier time stays as somebody may have changed it.
      if (errnoOf(error) !== "EEXIST") throw error;
    }
  };
  const write = (file: string, text: string): void => put(file, (path) => writeFileSync(path, text, { flag: "wx" }));
  for (const [file, text] of Object.entries(FILES)) write(file, text);
  for (const repository of ["shop", "price-list"]) {
    for (const [file, text] of Object.entries(REPOSITORY)) write(`${repository}/.git/${file}`, text);
    for (const directory of ["objects", "refs"]) mkdirSync(join(place, repository, ".git", directory), { recursive: true });
  }
  put(`shop/${sampleFiles.link}`, (path) => symlinkSync(sampleFiles.asks, path));
  return realpathSync(join(place, "shop"));
}
