import { batchMax } from "@wcs/domain/audit/AuditSeal"
import { AuditSealStore } from "@wcs/domain/audit/AuditSealStore"
import { AuditSignatures } from "@wcs/domain/audit/AuditSignatures"
import { type Batch, readMax } from "@wcs/domain/audit/AuditVerification"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "./AdminApi.ts"
import { asOperator, tenantOf } from "./Commands.ts"

/** Two batches take a few milliseconds, so that requests run between two commands. */
const batchesMax = 2
const tenantsMax = 256

/** The name of the deployment's own audit log, whose entries have no tenant. */
const deploymentName = "(deployment)"

/** All tenants, and all other ids with entries or seals: a tenant that was deleted by hand may have left some. */
const allLogs = Effect.gen(function* () {
  const [access, store] = [yield* AccessStore, yield* AuditSealStore]
  const names = new Map([
    ["", deploymentName],
    ...(yield* access.listTenants).map(({ id, name }) => [id, name] as const)
  ])
  for (let after: string | null = null; ; ) {
    const page: Effect.Success<ReturnType<typeof store.tenants>> = yield* store.tenants(after, tenantsMax)
    for (const { tenantId } of page) if (!names.has(tenantId)) names.set(tenantId, tenantId)
    const last = page.at(-1)
    if (last === undefined || page.length < tenantsMax) break
    after = last.tenantId
  }
  return Array.from(names, ([id, name]) => ({ id, name }))
})

const readBatches = Effect.fnUntraced(function* (tenantId: string, number: number, position: number | null) {
  const store = yield* AuditSealStore
  const batches: Array<Batch> = []
  let after = position
  for (const seal of yield* store.seals(tenantId, number, batchesMax)) {
    const entries = yield* store.entries(tenantId, { after, upTo: seal.lastPosition }, readMax(seal))
    batches.push({ seal, entries })
    after = seal.lastPosition
  }
  return { batches }
})

export const layer = HttpApiBuilder.group(
  AdminApi,
  "audit",
  Effect.fn(function* (handlers) {
    const store = yield* AuditSealStore
    const signatures = yield* AuditSignatures
    return handlers.handleAll({
      auditKeys: () => Effect.map(signatures.keys, (keys) => ({ keys })),
      listAuditLogs: ({ payload: { tenant } }) =>
        asOperator(() =>
          Effect.map(
            tenant === null ? allLogs : Effect.map(tenantOf(tenant), ({ id, name }) => [{ id, name }]),
            (tenants) => ({ tenants })
          )
        ),
      readAuditBatches: ({ payload: { number, position, tenantId } }) => readBatches(tenantId, number, position),
      readAuditEntries: ({ payload: { after, tenantId, upTo } }) =>
        Effect.map(store.entries(tenantId, { after, upTo }, batchMax), (entries) => ({ entries }))
    })
  })
)
