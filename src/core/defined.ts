// Optional parts of a value that is put together.

/** Keys whose value may be undefined are optional, and hold what they hold otherwise. */
type OptionalKeys<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The same without the keys whose value is undefined: whoever takes it looks whether a key is there. */
export function defined<T extends object>(value: T): OptionalKeys<T> {
  // The keys that are left hold what the type says of them.
  return Object.fromEntries(Object.entries(value).filter(([, held]) => held !== undefined)) as OptionalKeys<T>;
}
