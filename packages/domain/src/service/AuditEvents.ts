import { Context, Effect, Layer, Result } from "effect"
import { Caller } from "../access/Caller.ts"
import { type Forbidden, PrivilegeRules, readOf } from "../access/Privilege.ts"
import { AccountNames, accountsIn, namesByUrn } from "../audit/AccountNames.ts"
import type { AuditEntry } from "../audit/AuditEntry.ts"
import { type AuditEvent, auditEvents, showNamed } from "../audit/AuditEvent.ts"
import { EventStore } from "../audit/EventStore.ts"
import { changesAt, type FieldChange } from "../audit/FieldChange.ts"
import { toldOf } from "../audit/ToldFields.ts"
import { ResourceHistory } from "../crud/ResourceHistory.ts"
import { Ban } from "../holding/Ban.ts"
import { Credential, internalAttributes } from "../holding/Credential.ts"
import { Exemption } from "../holding/Exemption.ts"
import { MessageChoices } from "../message/MessageChoices.ts"
import { Unit } from "../people/Unit.ts"
import { Worker } from "../people/Worker.ts"
import type { ShownPage } from "../resource/Collection.ts"
import { makeIncluding } from "../resource/Include.ts"
import type { Query } from "../resource/ListQuery.ts"
import type { Resource } from "../resource/Resource.ts"
import * as Timeline from "../resource/Timeline.ts"
import { ComplianceCheck } from "../screening/ComplianceCheck.ts"
import { ScreeningPackage } from "../screening/ScreeningPackage.ts"
import type { InvalidArgument } from "../shared/InvalidArgument.ts"
import { IdentityProvider } from "../single-sign-on/IdentityProvider.ts"
import { UserAccess } from "../user/UserAccess.ts"
import { VerificationSource } from "../verification/VerificationSource.ts"
import { Webhook } from "../webhook/Webhook.ts"

/** The resources whose versions the store keeps. */
const withVersions: ReadonlyArray<Resource> = [
  ...[Worker, Credential, Exemption, Ban],
  ...[ComplianceCheck, ScreeningPackage, Unit, UserAccess, MessageChoices],
  ...[Webhook, VerificationSource, IdentityProvider].map((resource: Resource) => toldOf(resource))
]

/** The entity type of an entry as the versions name it. */
const kindOf = ({ entityType }: AuditEntry): string => (entityType === "account" ? UserAccess.type : entityType)

/** The tenant's audit log. Read only. */
export class AuditEvents extends Context.Service<
  AuditEvents,
  {
    /**
     * GET of a page. `include=changes` adds what each entry changed. The values are those of the kept versions, so the log
     * itself has none, and an erasure ends them. Only entities that the caller may READ have changes.
     */
    readonly list: (query: Query) => Effect.Effect<ShownPage<AuditEvent>, InvalidArgument | Forbidden, Caller>
  }
>()("@wcs/domain/AuditEvents") {}

export const make = Effect.gen(function* () {
  const store = yield* EventStore
  const history = yield* ResourceHistory
  const accounts = yield* AccountNames
  const rules = yield* PrivilegeRules
  const including = makeIncluding(rules, "changes", "auditEventsWithChanges")

  /** The changes of entries, by the ids of the entries. */
  const changesOf = Effect.fnUntraced(function* (entries: ReadonlyArray<AuditEntry>) {
    const { account, privileges, tenantId } = yield* Caller
    const changes = new Map<string, ReadonlyArray<FieldChange> | null>()
    for (const resource of withVersions) {
      const some = entries.filter((entry) => kindOf(entry) === resource.type)
      const mayRead = Result.isSuccess(rules.authorize(account, privileges, [readOf(resource.type)]))
      if (some.length === 0 || !mayRead) continue
      const keys = some.map(({ at, entityId }) => ({ id: entityId, at }))
      const versions = yield* history.versionsAt(resource, tenantId, keys)
      for (const { at, entityId, id } of some) {
        changes.set(id, changesAt(versions.get(entityId) ?? [], at, internalAttributes))
      }
    }
    return changes
  })

  return AuditEvents.of({
    list: Effect.fn("AuditEvents.list")(function* (asked) {
      const { tenantId } = yield* Caller
      const { isIncluding, query } = yield* including(asked)
      const selection = yield* Effect.fromResult(Timeline.parse(auditEvents, query))
      const page = yield* store.audit(tenantId, selection)
      const acting = accountsIn(page.items.map(({ account }) => account))
      const named = showNamed(namesByUrn(yield* accounts.find(tenantId, acting)))
      const changes = isIncluding ? yield* changesOf(page.items) : undefined
      const show = (entry: AuditEntry): AuditEvent =>
        changes === undefined ? named(entry) : { ...named(entry), changes: changes.get(entry.id) ?? null }
      return Timeline.shownPage(auditEvents, selection, page, show)
    })
  })
})

export const layer = Layer.effect(AuditEvents, make)
