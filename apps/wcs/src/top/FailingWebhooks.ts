import { existsSync } from "node:fs"
import * as Settings from "@wcs/http-node/Settings"
import { socketOf } from "@wcs/http-node/stores/DataDirectory"
import { Effect } from "effect"
import { operate } from "../Operating.ts"

/** The first failing webhooks; undefined if no server runs on the data directory. */
export type Failing = ReadonlyArray<Readonly<Record<string, unknown>>> | undefined

/** The maximum number of webhooks on a screen. */
const shown = 10

/**
 * Reads the failing webhooks through the socket of the running server. Never opens the store itself, because `wcs top`
 * only watches.
 */
export const read = Effect.gen(function* () {
  const { dataDirectory } = yield* Settings.Settings
  if (!existsSync(yield* socketOf(dataDirectory))) return undefined
  const { webhooks } = yield* operate((client) => client.listFailingWebhooks({ payload: { limit: shown } }))
  return webhooks
}).pipe(Effect.catch(() => Effect.succeed<Failing>(undefined)))
