// The providers' packages, each loaded when a service of its kind is first spoken to and not before. Everything a package might take
// from the environment by itself is given to it, so that the environment is what our caller says it is.

import type { LanguageModelV3 } from "@ai-sdk/provider";
import type { ModelService } from "./services.ts";
import type { Fetch } from "./silence.ts";

export async function connect(service: ModelService, fetch: Fetch): Promise<LanguageModelV3> {
  const { dialect, address: baseURL, model, key, bearer, provider } = service;
  switch (dialect) {
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic({ baseURL, fetch, ...(bearer ? { authToken: key ?? "" } : { apiKey: key ?? "" }) })(model);
    }
    case "responses":
    case "chat": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      const openai = createOpenAI({ baseURL, fetch, apiKey: key ?? "" });
      return dialect === "responses" ? openai.responses(model) : openai.chat(model);
    }
    case "compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      return createOpenAICompatible({ name: provider, baseURL, fetch, includeUsage: true, ...(key === null ? {} : { apiKey: key }) })(
        model,
      );
    }
  }
}
