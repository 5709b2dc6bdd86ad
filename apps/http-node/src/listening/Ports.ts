import { Context, Effect, type Option } from "effect"

/** The ports that a server listens on. */
export interface Ports {
  readonly port: number
  readonly plainPort: Option.Option<number>
}

/**
 * The ports of the server at hand, told once it listens; none where an administrator works on the store without one.
 */
export const ListeningOn = Context.Reference<Effect.Effect<Option.Option<Ports>>>("@wcs/http-node/ListeningOn", {
  defaultValue: () => Effect.succeedNone
})
