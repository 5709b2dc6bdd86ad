import * as Settings from "@wcs/deployment/Settings"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Json } from "../Json.ts"
import { Misused, Refused, show } from "../Output.ts"

/** `wcs move-tenant`: moves a tenant to another database of the deployment, while servers and workers run. */
export const moveTenant = Command.make(
  "move-tenant",
  {
    tenant: Argument.String("tenant").pipe(Argument.withDescription("Name or id of the tenant")),
    to: Flag.String("to").pipe(
      Flag.optional,
      Flag.withDescription("Name of the database in WCS_CELLS, or main for that of DATABASE_URL")
    ),
    within: Flag.Int("within").pipe(
      Flag.withDefault(60),
      Flag.withDescription(
        "The longest time in seconds for which the tenant may get 503. After it, the source serves it again"
      )
    ),
    finish: Flag.Boolean("finish").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Delete the rows that a complete move has left in the source")
    ),
    cancel: Flag.Boolean("cancel").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Undo an interrupted move, unless the target has the tenant already")
    )
  },
  ({ cancel, finish, tenant, to, within }) =>
    Effect.gen(function* () {
      if ([cancel, finish, Option.isSome(to)].filter((given) => given).length !== 1) {
        return yield* new Misused({ message: "move-tenant needs one of --to, --finish and --cancel" })
      }
      if (within < 3 || within > 3600) {
        return yield* new Misused({ message: "--within must be a whole number of seconds from 3 to 3600" })
      }
      const mode = cancel ? "cancel" : finish ? "finish" : "move"
      const { run } = yield* Effect.promise(() => import("./Moving.ts"))
      const done = yield* run({ mode, tenant, to: Option.getOrElse(to, () => ""), within })
      yield* show(done, yield* Json)
    }).pipe(
      Effect.provide(Settings.layer),
      Effect.catchTag("MoveRefused", ({ message }) => Effect.fail(new Refused({ message })))
    )
).pipe(
  Command.withDescription(
    "Move a tenant to another database while it is served. Its hosts get 503 for the last seconds. Repeat the command after an interruption. Needs Postgres"
  )
)
