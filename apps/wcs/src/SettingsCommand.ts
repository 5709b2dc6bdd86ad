import { documentation } from "@wcs/deployment/Settings"
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { Json } from "./Json.ts"
import { show } from "./Output.ts"

/** The documentation without Markdown. */
const plain = (text: string): string => text.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1").replaceAll("`", "")

const described = documentation.map(({ meaning, must, name, standard }) => ({
  name,
  default: standard === "" ? null : standard,
  mustBe: must,
  purpose: plain(meaning)
}))

/** Three lines for each setting. A table would be wider than a terminal. */
const paragraphs = described.map(({ default: standard, mustBe, name, purpose }) =>
  [standard === null ? name : `${name} (default ${standard})`, `  must be ${mustBe}`, `  ${purpose}`].join("\n")
)

/** `wcs settings`: lists all settings. */
export const settings = Command.make("settings", {}, () =>
  Effect.gen(function* () {
    const isJson = yield* Json
    yield* isJson ? show({ settings: described }, isJson) : Console.log(paragraphs.join("\n\n"))
  })
).pipe(Command.withDescription("List the settings of servers, workers and commands, which are environment variables"))
