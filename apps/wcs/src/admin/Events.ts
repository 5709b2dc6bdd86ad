import { listedMax } from "@wcs/domain/webhook/DeadLetters"
import * as FailingWebhooks from "@wcs/domain/webhook/FailingWebhooks"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Misused } from "../Output.ts"
import { allTenants, perform, tenant } from "./Flags.ts"

const listDeadLetters = Command.make(
  "list-dead-letters",
  {
    tenant: allTenants,
    limit: Flag.Int("limit").pipe(
      Flag.withDescription(`Maximum number of events to list, 1 to ${listedMax}`),
      Flag.withDefault(100)
    )
  },
  ({ limit, tenant }) => perform((client) => client.listDeadLetters({ payload: { tenant, limit } }))
).pipe(Command.withDescription("List dead letters: events that could not be sent to every webhook, oldest first"))

const retryDeadLetters = Command.make(
  "retry-dead-letters",
  {
    tenant,
    id: Argument.String("id").pipe(Argument.withDescription("Id of the event, evt_…"), Argument.optional),
    all: Flag.Boolean("all").pipe(
      Flag.withDescription("Retry all dead letters of the tenant instead of one"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ all, id, tenant }) {
    if (Option.isSome(id) === all) {
      return yield* new Misused({ message: "retry-dead-letters needs either an event's id or --all" })
    }
    yield* perform((client) => client.retryDeadLetters({ payload: { tenant, eventId: Option.getOrNull(id) } }))
  })
).pipe(Command.withDescription("Retry dead letters now. Events that are too old to retry are skipped."))

const listFailingWebhooks = Command.make(
  "list-failing-webhooks",
  {
    limit: Flag.Int("limit").pipe(
      Flag.withDescription(`Maximum number of webhooks to list, 1 to ${FailingWebhooks.listedMax}`),
      Flag.withDefault(100)
    )
  },
  ({ limit }) => perform((client) => client.listFailingWebhooks({ payload: { limit } }))
).pipe(
  Command.withDescription(
    "List active webhooks whose last attempt failed, of all tenants. The webhook that has failed longest is first"
  )
)

/** Events that could not be sent, and webhooks that do not accept deliveries. */
export const eventSubcommands = [listDeadLetters, retryDeadLetters, listFailingWebhooks] as const
