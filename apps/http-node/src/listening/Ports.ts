import { Context, Effect, type Option } from "effect"

/** The ports of a server. */
export interface Ports {
  readonly port: number
  readonly plainPort: Option.Option<number>
}

/**
 * The ports of the running server, available once it listens. None for admin commands without a server.
 */
export const ListeningOn = Context.Reference<Effect.Effect<Option.Option<Ports>>>("@wcs/http-node/ListeningOn", {
  defaultValue: () => Effect.succeedNone
})
