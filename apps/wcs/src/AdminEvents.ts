import { listedMax } from "@wcs/domain/webhook/DeadLetters"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { perform, required, tenant } from "./AdminFlags.ts"
import { Misused } from "./Output.ts"

const listDeadLetters = Command.make(
  "list-set-aside",
  {
    tenant: required("tenant", "The tenant's name or id; those of all tenants where it is left out").pipe(
      Flag.optional,
      Flag.map(Option.getOrNull)
    ),
    limit: Flag.Int("limit").pipe(
      Flag.withDescription(`How many at the most, 1 to ${listedMax}`),
      Flag.withDefault(100)
    )
  },
  ({ limit, tenant }) => perform({ _tag: "ListSetAside", tenant, limit })
).pipe(Command.withDescription("List the events that could not be sent and are set aside, the oldest first"))

const retryDeadLetters = Command.make(
  "retry-set-aside",
  {
    tenant,
    id: Argument.String("id").pipe(Argument.withDescription("The event's id, evt_…"), Argument.optional),
    all: Flag.Boolean("all").pipe(
      Flag.withDescription("Instead of one event, all of the tenant's"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ all, id, tenant }) {
    if (Option.isSome(id) === all) {
      return yield* new Misused({ message: "retry-set-aside takes either an event's id or --all" })
    }
    yield* perform({ _tag: "RetrySetAside", tenant, eventId: Option.getOrNull(id) })
  })
).pipe(
  Command.withDescription(
    "Have events sent at once that are set aside until later; what is set aside for good stays so"
  )
)

/** Events that could not be sent. */
export const eventSubcommands = [listDeadLetters, retryDeadLetters] as const
