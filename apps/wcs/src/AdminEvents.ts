import { listedMax } from "@wcs/domain/webhook/EventsAside"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { perform, required, tenant } from "./AdminFlags.ts"
import { Misused } from "./Output.ts"

const listSetAside = Command.make(
  "list-set-aside",
  {
    tenant: required("tenant", "Name or id of the tenant; default: all tenants").pipe(
      Flag.optional,
      Flag.map(Option.getOrNull)
    ),
    limit: Flag.Int("limit").pipe(
      Flag.withDescription(`Maximum number of events, 1 to ${listedMax}`),
      Flag.withDefault(100)
    )
  },
  ({ limit, tenant }) => perform({ _tag: "ListSetAside", tenant, limit })
).pipe(Command.withDescription("List the dead letters: events that could not be sent, oldest first"))

const retrySetAside = Command.make(
  "retry-set-aside",
  {
    tenant,
    id: Argument.String("id").pipe(Argument.withDescription("Id of the event, evt_…"), Argument.optional),
    all: Flag.Boolean("all").pipe(
      Flag.withDescription("Retry all events of the tenant instead of one"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ all, id, tenant }) {
    if (Option.isSome(id) === all) {
      return yield* new Misused({ message: "retry-set-aside needs either an event's id or --all" })
    }
    yield* perform({ _tag: "RetrySetAside", tenant, eventId: Option.getOrNull(id) })
  })
).pipe(Command.withDescription("Retry dead letters immediately; permanent dead letters are not retried"))

/** The commands for dead letters. */
export const eventSubcommands = [listSetAside, retrySetAside] as const
