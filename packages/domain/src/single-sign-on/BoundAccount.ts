import { Clock, Effect, Option } from "effect"
import { type Account, accountUrn, normalizeEmail } from "../access/Account.ts"
import type { makeAudit } from "../audit/AuditEntry.ts"
import { RequestId } from "../shared/RequestId.ts"
import type { AccessStore } from "../token/AccessStore.ts"
import type { Provider } from "./ActiveProviders.ts"
import type { ProvenLogin } from "./ProvenLogin.ts"
import { refusedBy } from "./SignOnRefused.ts"
import type { SingleSignOnStore } from "./SingleSignOnStore.ts"

interface Services {
  readonly access: AccessStore["Service"]
  readonly store: SingleSignOnStore["Service"]
  readonly audited: ReturnType<typeof makeAudit>
}

const accountById = ({ access }: Services, tenantId: string, id: Option.Option<string>) =>
  Option.isNone(id) ? Effect.succeedNone : access.findAccount(tenantId, id.value)

/** Returns the account bound to the subject, and the account with the proven address. */
export const candidatesOf = Effect.fnUntraced(function* (
  services: Services,
  { id }: Provider,
  tenantId: string,
  proven: ProvenLogin
) {
  const bound = yield* accountById(services, tenantId, yield* services.store.accountOf(tenantId, id, proven.subject))
  const byEmail =
    proven.email === null
      ? Option.none<Account>()
      : yield* services.access.findAccountByEmail(tenantId, normalizeEmail(proven.email))
  return { bound, byEmail }
})

/** Binds the subject at its first login. */
export const bindTo = Effect.fnUntraced(function* (
  { audited, store }: Services,
  account: Account,
  provider: Provider,
  { subject }: ProvenLogin
) {
  const at = yield* Clock.currentTimeMillis
  const actor = { account: accountUrn(account.id), bearer: null, requestId: yield* RequestId }
  const auditedAction = { operation: "UPDATE", action: "bind", entityType: "account", entityId: account.id } as const
  const binding = { tenantId: account.tenantId, providerId: provider.id, subject, accountId: account.id }
  const isNew = yield* store.bind(binding, yield* audited(actor, auditedAction, at))
  // A concurrent login of the same subject may have bound it.
  const bound = isNew ? Option.none() : yield* store.accountOf(account.tenantId, provider.id, subject)
  if (!isNew && !Option.contains(bound, account.id)) return yield* refusedBy("OtherSubject")
})
