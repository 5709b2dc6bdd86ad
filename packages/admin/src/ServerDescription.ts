import { Context, type Effect, Schema } from "effect"

/** The address of a server, running or not, and the settings that callers need. */
export const ServerDescription = Schema.Struct({
  host: Schema.NullOr(Schema.String),
  port: Schema.Finite,
  plainPort: Schema.NullOr(Schema.Finite),
  tls: Schema.Literals(["SelfSigned", "Files", "Proxy"]),
  certificateFile: Schema.NullOr(Schema.String),
  tokenLifetimeSeconds: Schema.Finite,
  legacyTokenLifetimeSeconds: Schema.Finite,
  deliversToLoopback: Schema.Boolean
})
export type ServerDescription = typeof ServerDescription.Type

/** Describes the server. Waits until a starting server listens. */
export class DescribedServer extends Context.Service<
  DescribedServer,
  { readonly describe: Effect.Effect<ServerDescription> }
>()("@wcs/admin/DescribedServer") {}
