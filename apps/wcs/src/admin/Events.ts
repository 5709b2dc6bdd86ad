import { listedMax } from "@wcs/domain/webhook/DeadLetters"
import * as FailingWebhooks from "@wcs/domain/webhook/FailingWebhooks"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Misused } from "../Output.ts"
import { allTenants, argument, command, perform, tenant } from "./Flags.ts"

const limitOf = (what: string, most: number) =>
  Flag.Int("limit").pipe(Flag.withDescription(`Maximum number of ${what} to list, 1 to ${most}`), Flag.withDefault(100))

const retryDeadLetters = Command.make(
  "retry-dead-letters",
  {
    tenant,
    id: argument("id", "Id of the event, evt_…").pipe(Argument.optional),
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

/** Events that could not be sent, and webhooks that do not accept deliveries. */
export const eventSubcommands = [
  command(
    "list-dead-letters",
    "List dead letters: events that could not be sent to every webhook, oldest first",
    { tenant: allTenants, limit: limitOf("events", listedMax) },
    (client, payload) => client.listDeadLetters({ payload })
  ),
  retryDeadLetters,
  command(
    "list-failing-webhooks",
    "List active webhooks whose last attempt failed, of all tenants. The webhook that has failed longest is first",
    { limit: limitOf("webhooks", FailingWebhooks.listedMax) },
    (client, payload) => client.listFailingWebhooks({ payload })
  )
] as const
