export declare function buildWeb(target: string, before: string): Promise<"built" | "unchanged" | "left out">;
export declare function builtFrom(): string;
