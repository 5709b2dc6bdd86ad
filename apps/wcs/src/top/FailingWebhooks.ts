import { Effect, Option } from "effect"
import { askServer } from "../Operating.ts"

/** The first failing webhooks; undefined if no server answers on the data directory. */
export type Failing = ReadonlyArray<Readonly<Record<string, unknown>>> | undefined

/** The maximum number of webhooks on a screen. */
const shown = 10

/** Asks the server on the data directory, and nobody else: `wcs top` only watches. */
export const read = Effect.map(
  askServer((client) => client.listFailingWebhooks({ payload: { limit: shown } })),
  (answer): Failing => (Option.isSome(answer) ? answer.value.webhooks : undefined)
)
