import { Credential, type CredentialFields } from "@wcs/domain/credential/Credential"
import type { ChangeRecords } from "@wcs/domain/resource/ChangeRecords"
import type { Stored } from "@wcs/domain/resource/Resource"
import type { Instant } from "@wcs/domain/shared/Instant"
import type { VerificationDraft } from "@wcs/domain/verification/VerificationRecord"
import {
  type Call,
  type CallBasis,
  type Conclusion,
  type DueRun,
  type RunAuthority,
  type RunBasis,
  VerificationStore
} from "@wcs/domain/verification/VerificationStore"
import { inTurn, nextDueAt, placesAfter, queuesInTurn } from "@wcs/domain/verification/VerificationTurns"
import { Effect, Layer, Option, Result } from "effect"
import {
  isOpen,
  MemoryTables,
  openOf,
  rowOf,
  type TenantTables,
  tableOf,
  type VerificationRun,
  writeRecords
} from "./MemoryTables.ts"
import { writeProgressions } from "./ProgressionMemory.ts"
import { seriesPage } from "./SeriesPage.ts"

/** The runs of a tenant with a due time, earliest first, by credential type. */
const queuesOf = (tenantId: string, tables: TenantTables, now: Instant) => {
  const due = [...tables.runs].flatMap(([credentialId, { dueAt, lease }]) => {
    const credentialType = rowOf<CredentialFields>(tables, Credential, credentialId)?.fields.attributes.credentialType
    return dueAt === null ? [] : [{ tenantId, credentialId, credentialType: credentialType ?? "", dueAt, lease }]
  })
  const byType = Map.groupBy(
    due.sort((one, two) => one.dueAt - two.dueAt),
    ({ credentialType }) => credentialType
  )
  return [...byType].map(([credentialType, runs]) => ({
    tenantId,
    credentialType,
    dueAt: Math.min(...runs.map(({ dueAt }) => dueAt)),
    leased: runs.filter(({ dueAt, lease }) => lease !== null && dueAt > now).length,
    runs: runs.filter(({ dueAt }) => dueAt <= now)
  }))
}

const allQueues = (tenants: ReadonlyMap<string, TenantTables>, now: Instant) =>
  [...tenants].flatMap(([tenantId, tables]) => queuesOf(tenantId, tables, now))

const isAuthorized = ({ dueAt, lease }: VerificationRun, authority: RunAuthority): boolean =>
  authority._tag === "Lease" ? lease === authority.lease : dueAt === null

/** Stores the credential and its records. */
const writeNext = (
  tables: TenantTables,
  { credential }: Pick<RunBasis, "credential">,
  { next, records }: { readonly next: Stored<CredentialFields> | undefined; readonly records: ChangeRecords }
) => {
  if (next !== undefined) {
    const version = Option.match(credential, { onNone: () => 0, onSome: (current) => current.version })
    if (next.version <= version) throw new Error(`${next.id} has version ${next.version}, and had ${version}`)
    tableOf(tables, Credential).rows.set(next.id, next)
  }
  writeRecords(tables, records, (subjectId) => rowOf(tables, Credential, subjectId)?.version ?? 0)
  writeProgressions(tables, records)
}

const begin = <E, Decided extends Call>(
  tables: TenantTables,
  credentialId: string,
  decide: (basis: CallBasis) => Result.Result<Decided, E>
): Result.Result<Decided, E> => {
  const credential = Option.fromUndefinedOr(rowOf<CredentialFields>(tables, Credential, credentialId))
  const basis = { credential, openCount: openOf(tables, credentialId).length }
  return Result.map(decide(basis), (decided) => {
    writeNext(tables, basis, decided)
    return decided
  })
}

const conclude = <E>(
  tables: TenantTables,
  credentialId: string,
  authority: RunAuthority,
  decide: (basis: RunBasis) => Result.Result<Conclusion, E>
): Result.Result<boolean, E> => {
  const run = tables.runs.get(credentialId)
  if (run === undefined || !isAuthorized(run, authority)) return Result.succeed(false)
  const credential = Option.fromUndefinedOr(rowOf<CredentialFields>(tables, Credential, credentialId))
  const basis = { credential, open: openOf(tables, credentialId) }
  return Result.map(decide(basis), (conclusion) => {
    if (conclusion._tag !== "Postponed") writeNext(tables, basis, conclusion)
    switch (conclusion._tag) {
      case "Postponed": {
        const { attempts, dueAt } = conclusion
        tables.runs.set(credentialId, { attempts, dueAt, lease: null })
        return true
      }
      case "AwaitsReview":
        tables.runs.set(credentialId, { ...run, dueAt: null, lease: null })
        return true
      case "Concluded": {
        const { outcome } = conclusion
        for (const [index, verification] of tables.verifications.entries()) {
          if (basis.open.includes(verification)) tables.verifications[index] = { ...verification, outcome }
        }
        tables.runs.delete(credentialId)
        return true
      }
    }
  })
}

export const make = Effect.map(MemoryTables, ({ of, tenants }) => {
  const claimed = (
    { credentialId, credentialType, tenantId }: Pick<DueRun, "tenantId" | "credentialId" | "credentialType">,
    lease: string,
    dueAt: Instant
  ): DueRun => {
    const tables = of(tenantId)
    const attempts = (tables.runs.get(credentialId)?.attempts ?? 0) + 1
    tables.runs.set(credentialId, { attempts, dueAt, lease })
    const credential = Option.fromUndefinedOr(rowOf<CredentialFields>(tables, Credential, credentialId))
    return { tenantId, credentialId, credentialType, credential, attempt: attempts, lease }
  }

  const awaitsReview = (tables: TenantTables, verification: VerificationDraft): boolean =>
    isOpen(verification) && tables.runs.get(verification.credentialId)?.dueAt === null

  return VerificationStore.of({
    begin: Effect.fn("VerificationStore.begin")((tenantId, credentialId, decide) =>
      Effect.suspend(() => Effect.fromResult(begin(of(tenantId), credentialId, decide)))
    ),

    claim: Effect.fn("VerificationStore.claim")(({ lease, leaseMillis, now, places }) =>
      Effect.sync(() => {
        const queues = allQueues(tenants, now)
        const wanted = inTurn(
          queuesInTurn(queues, now, places).map((queue) => ({ queue, due: queue.runs })),
          places
        )
        const runs = wanted.map((run) => claimed(run, lease, now + leaseMillis))
        const types = runs.map(({ credentialType }) => credentialType)
        return { runs, nextDueAt: nextDueAt(allQueues(tenants, now), placesAfter(places, types)) }
      })
    ),

    conclude: Effect.fn("VerificationStore.conclude")((tenantId, credentialId, authority, decide) =>
      Effect.suspend(() => Effect.fromResult(conclude(of(tenantId), credentialId, authority, decide)))
    ),

    release: Effect.fn("VerificationStore.release")(({ credentialId, lease, tenantId }, now) =>
      Effect.sync(() => {
        const { runs } = of(tenantId)
        const run = runs.get(credentialId)
        if (run?.lease !== lease) return
        runs.set(credentialId, { attempts: run.attempts - 1, dueAt: now, lease: null })
      })
    ),

    find: Effect.fn("VerificationStore.find")((tenantId, id) =>
      Effect.sync(() => {
        const tables = of(tenantId)
        return Option.fromUndefinedOr(tables.verifications.find((verification) => verification.id === id)).pipe(
          Option.map((verification) => ({ verification, awaitsReview: awaitsReview(tables, verification) }))
        )
      })
    ),

    list: Effect.fn("VerificationStore.list")((tenantId, credentialId, selection) =>
      Effect.sync(() =>
        seriesPage(
          of(tenantId).verifications.filter((verification) => verification.credentialId === credentialId),
          selection
        )
      )
    )
  })
})

export const layer: Layer.Layer<VerificationStore, never, MemoryTables> = Layer.effect(VerificationStore, make)
