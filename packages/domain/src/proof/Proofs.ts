import { Array as Arr, Clock, Context, Effect, Layer, Option, Result } from "effect"
import { Caller } from "../access/Caller.ts"
import { nameOf, readOf } from "../access/Privilege.ts"
import { CurrentTenant } from "../access/Tenant.ts"
import { AccountNames, accountsIn, namesByUrn } from "../audit/AccountNames.ts"
import { AuditSettings, digestsOf } from "../audit/AuditSeal.ts"
import { AuditSealStore } from "../audit/AuditSealStore.ts"
import { AuditSignatures } from "../audit/AuditSignatures.ts"
import type { LoggedEntry } from "../audit/LoggedEntry.ts"
import { isRecordKind, type VersionKey } from "../audit/RecordVersion.ts"
import { makePast, type Past, ResourceHistory } from "../crud/ResourceHistory.ts"
import { ResourceStore } from "../crud/ResourceStore.ts"
import { Ban } from "../holding/Ban.ts"
import { Credential } from "../holding/Credential.ts"
import { Exemption } from "../holding/Exemption.ts"
import { Worker } from "../people/Worker.ts"
import * as ListQuery from "../resource/ListQuery.ts"
import { type Resource, ResourceNotFound, requireId } from "../resource/Resource.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import { ComplianceCheck } from "../screening/ComplianceCheck.ts"
import { rulesVersion } from "../screening/ComplianceEvaluation.ts"
import { enabledChecksThen, matrixChecks } from "../screening/ComplianceMatrix.ts"
import { Digest } from "../shared/Digest.ts"
import { fromRfc3339, type Instant, toRfc3339 } from "../shared/Instant.ts"
import type { InvalidArgument } from "../shared/InvalidArgument.ts"
import type { JsonObject } from "../shared/Json.ts"
import { RequestId } from "../shared/RequestId.ts"
import { coverageOf, type Facts, factsOf, factsVersion, type ProofRecord } from "./ProofFacts.ts"
import {
  claimOfProof,
  digestsOfParts,
  doesNotProve,
  form,
  type Proof,
  type ProofContent,
  type ProofSeal,
  proves
} from "./ProofFile.ts"
import { entriesMax, fitEntries, type ProofTooLarge } from "./ProofSize.ts"
import { ProofStore, sealsTogether } from "./ProofStore.ts"

/** The maximum number of cards in a proof, and of exemptions and of bans: the oldest. */
export const provenMax = 100

/** The remark of a proof without some of the records. */
export const noneJudged =
  "No compliance check is judged here: records are left out, and a verdict from some of them could be another one."

/** What was known of a worker at a time, with the seals of the audit log. Read only. */
export class Proofs extends Context.Service<
  Proofs,
  {
    /**
     * Returns a signed proof of the worker as of the time in `asOf`, or of now. The audit entries are in it if the caller
     * may read the audit log. Of an erased worker it has what remains. Fails for a worker who was deleted then, and if the
     * seals would make the file too large.
     */
    readonly read: (
      workerId: string,
      query: ListQuery.Query
    ) => Effect.Effect<Proof, InvalidArgument | ResourceNotFound | ProofTooLarge, Caller | CurrentTenant | RequestId>
  }
>()("@wcs/domain/Proofs") {}

/** The versions that a proof is about, and what it leaves out. */
interface Found {
  readonly keys: ReadonlyArray<VersionKey>
  readonly erasedAt: string | null
  /** The time and the day of the facts. */
  readonly moment: Past["moment"]
  readonly remarks: ReadonlyArray<string>
}

const keyOf = ({ type }: Resource, { id, version }: Pick<VersionKey, "id" | "version">): VersionKey => {
  if (!isRecordKind(type)) throw new Error(`${type} has no versions`)
  return { kind: type, id, version }
}

/** Reads the records in force at a time. */
const findThen = Effect.fnUntraced(function* ({ moment, reads }: Past, tenantId: string, workerId: string) {
  const remarks: Array<string> = []
  const held = Effect.fnUntraced(function* <Fields extends JsonObject>(resource: Resource<Fields>) {
    const found = (yield* reads.heldByEach(resource, tenantId, [workerId], provenMax + 1)).get(workerId) ?? []
    if (found.length > provenMax) remarks.push(`Only the ${provenMax} oldest ${resource.collection} are in this proof.`)
    return found.slice(0, provenMax).map((stored) => keyOf(resource, stored))
  })
  const worker = (yield* reads.findAll(Worker, tenantId, [workerId])).get(workerId)
  if (worker === undefined || !isVisible(worker, false)) return undefined
  const holdings = [...(yield* held(Credential)), ...(yield* held(Exemption)), ...(yield* held(Ban))]
  if (remarks.length > 0) {
    remarks.push(noneJudged)
    return { keys: [keyOf(Worker, worker), ...holdings], erasedAt: null, moment, remarks }
  }
  const checks = yield* enabledChecksThen(reads, tenantId)
  if (checks.hasMore) remarks.push(`Only the ${matrixChecks} oldest compliance checks are in this proof.`)
  const keys = [keyOf(Worker, worker), ...holdings, ...checks.items.map((check) => keyOf(ComplianceCheck, check))]
  return { keys, erasedAt: null, moment, remarks }
})

/** Reads what remains of a person who was there at a time and erased since: ids, verdicts and their days. */
const makeFindRemains = (store: ResourceStore["Service"]) =>
  Effect.fnUntraced(function* ({ moment, reads }: Past, tenantId: string, workerId: string, asked: Instant) {
    const worker = Option.getOrUndefined(yield* store.find(Worker, tenantId, workerId))
    const erasedAt = worker?.fields.erasedAt
    if (worker === undefined || erasedAt === undefined || worker.createdAt > asked) return undefined
    const query = { ownerType: "worker", ownerId: workerId, includeDeleted: "true", pageSize: String(provenMax) }
    const cards = yield* store.list(Credential, tenantId, Result.getOrThrow(ListQuery.parse(Credential, query, "")))
    const ids = cards.items.filter(({ fields }) => fields.attributes.erasedAt !== undefined).map(({ id }) => id)
    const found: ReadonlyArray<VersionKey> = [
      ...Array.from((yield* reads.findAll(Worker, tenantId, [workerId])).values(), (stored) => keyOf(Worker, stored)),
      ...Array.from((yield* reads.findAll(Credential, tenantId, ids)).values(), (stored) => keyOf(Credential, stored))
    ]
    return {
      ...{ keys: found, erasedAt, moment },
      remarks: [
        `The person was erased. The records of ${toRfc3339(asked)}, the time asked for, were destroyed with their salts, ` +
          "so no seal can be compared with them any more. The facts are of `asOf` instead, and what remains then: ids, " +
          "verdicts and their days, without a name."
      ]
    }
  })

export const make = Effect.gen(function* () {
  const store = yield* ResourceStore
  const history = yield* ResourceHistory
  const past = makePast(history)
  const findRemains = makeFindRemains(store)
  const proofStore = yield* ProofStore
  const sealStore = yield* AuditSealStore
  const signatures = yield* AuditSignatures
  const accounts = yield* AccountNames
  const { sealMillis } = yield* AuditSettings
  const { sha256 } = yield* Digest

  /** The versions with their seals up to a number, in the order of the keys. */
  const recordsOf = Effect.fnUntraced(function* (
    tenantId: string,
    keys: ReadonlyArray<VersionKey>,
    { by, last }: { readonly by: number; readonly last: number }
  ) {
    const found: Array<ProofRecord> = []
    for (const [kind, some] of Map.groupBy(keys, (key) => key.kind)) {
      const versions = yield* proofStore.versions(tenantId, kind, some)
      const byId = new Map(versions.map((kept) => [kept.version.id, kept]))
      for (const { id } of some) {
        const kept = byId.get(id)
        if (kept === undefined) continue // erased meanwhile
        const { sealed, version } = kept
        const isSealed = sealed !== null && sealed.salt !== "" && sealed.number <= last
        found.push({
          ...version,
          coverage: isSealed ? coverageOf(version, sealed.at, by) : "NOT_SEALED",
          seal: isSealed ? sealed.number : null,
          salt: isSealed ? sealed.salt : ""
        })
      }
    }
    return found
  })

  /**
   * The entries of the versions and of their creation and decisions, with the number of the seal of each, as many as fit.
   * The newest one of each record by that time is among them: its seal has the newest version, so a check finds that
   * another is missing.
   */
  const entriesOf = Effect.fnUntraced(function* (
    { tenantId, workerId }: { readonly tenantId: string; readonly workerId: string },
    records: ReadonlyArray<ProofRecord>,
    facts: Facts,
    { by, last }: { readonly by: number; readonly last: number }
  ) {
    const decided = facts.cards.flatMap(({ decision }) => fromRfc3339(decision?.decidedAt ?? "") ?? [])
    const times = [...decided, ...records.flatMap(({ createdAt, updatedAt }) => [createdAt, updatedAt])]
    const ids = records.map(({ id }) => id)
    const newest = yield* proofStore.newestEntries(tenantId, ids, by)
    // One more of them shows that some are left out.
    const others = yield* proofStore.entries(tenantId, ids, [...new Set(times)], entriesMax + newest.length + 1)
    const numbers = yield* proofStore.sealsAt(
      tenantId,
      [...newest, ...others].map(({ position }) => position)
    )
    const withSeal = (entry: LoggedEntry) => {
      const number = numbers.get(entry.position)
      return { entry, seal: number === undefined || number > last ? null : number }
    }
    return yield* Effect.fromResult(fitEntries(workerId, records, newest.map(withSeal), others.map(withSeal)))
  })

  const sealsOf = Effect.fnUntraced(function* (tenantId: string, numbers: ReadonlySet<number>) {
    const seals: Array<ProofSeal> = []
    const inOrder = [...numbers].sort((one, two) => one - two)
    for (const some of Arr.chunksOf(inOrder, sealsTogether)) {
      for (const { entries, seal } of yield* proofStore.seals(tenantId, some)) {
        seals.push({ seal, digests: digestsOf(entries, sha256) })
      }
      yield* Effect.yieldNow
    }
    return seals
  })

  const namesOf = Effect.fnUntraced(function* (tenantId: string, urns: ReadonlyArray<string>) {
    const names = namesByUrn(yield* accounts.find(tenantId, accountsIn(urns)))
    return [...new Set(urns)].flatMap((account) => {
      const name = names.get(account)
      return name === undefined ? [] : [{ account, name }]
    })
  })

  const signed = Effect.fnUntraced(function* (content: ProofContent) {
    const digests = digestsOfParts(content, sha256)
    const signature = yield* signatures.signProof(claimOfProof(content.tenantId, digests, sha256))
    return { ...content, digests, signature } satisfies Proof
  })

  /** Marks the records that the next seal will have: an entry tells of them, and it has no seal yet. */
  const withPending = (records: ReadonlyArray<ProofRecord>, waiting: ReadonlyArray<LoggedEntry>) => {
    const ids = new Set(waiting.map(({ entityId, entityType }) => `${entityType} ${entityId}`))
    return records.map((record): ProofRecord => {
      const isPending = record.coverage === "NOT_SEALED" && ids.has(`${record.kind} ${record.id}`)
      return isPending ? { ...record, coverage: "PENDING" } : record
    })
  }

  const find = Effect.fnUntraced(function* (then: Past, tenantId: string, workerId: string, present: Past) {
    const found: Found | undefined =
      (yield* findThen(then, tenantId, workerId)) ?? (yield* findRemains(present, tenantId, workerId, then.moment.now))
    return found ?? (yield* new ResourceNotFound({ entityType: Worker.type, id: workerId }))
  })

  return Proofs.of({
    read: Effect.fn("Proofs.read")(function* (workerId, { asOf, ...query }) {
      const { account, privileges, tenantId, timeZone } = yield* Caller
      yield* Effect.fromResult(ListQuery.singles(["asOf"], { ...query, ...(asOf === undefined ? {} : { asOf }) }))
      yield* Effect.fromResult(requireId(Worker, workerId))
      const now = yield* Clock.currentTimeMillis
      const then = yield* past(asOf ?? toRfc3339(now), query)
      // One state of the seals: a seal that is made during these reads would name what they found unsealed.
      const last = Option.match(yield* sealStore.newestSeal(tenantId), {
        onNone: () => 0,
        onSome: (seal) => seal.number
      })
      const { erasedAt, keys, moment, remarks } = yield* find(
        ...([then, tenantId, workerId, yield* past(toRfc3339(now), query)] as const)
      )
      const read = yield* recordsOf(tenantId, keys, { by: moment.now, last })
      const isThere = read.some(({ kind }) => kind === "worker") // else erased since the first read
      if (!isThere) return yield* new ResourceNotFound({ entityType: Worker.type, id: workerId })
      const { today } = moment
      const found = factsOf(read, { today, timeZone }, erasedAt !== null)
      const fitting = yield* entriesOf({ tenantId, workerId }, read, found, { by: moment.now, last })
      const { entries } = fitting
      const records = withPending(
        read,
        entries.flatMap(({ entry, seal }) => (seal === null ? [entry] : []))
      )
      const facts = factsOf(records, { today, timeZone }, erasedAt !== null)
      const mayAudit = privileges.has(nameOf(readOf("auditEvent")))
      const mayName = privileges.has(nameOf(readOf("user")))
      const shown = mayAudit ? entries : []
      const numbers = new Set([...records, ...entries].flatMap(({ seal }) => seal ?? []))
      return yield* signed({
        form,
        requestId: yield* RequestId,
        proves,
        doesNotProve,
        tenantId,
        organization: (yield* CurrentTenant).name,
        asOf: toRfc3339(moment.now),
        day: today,
        timeZone,
        madeAt: toRfc3339(now),
        madeBy: account,
        rulesVersion,
        factsVersion,
        workerId,
        erasedAt,
        remarks: [
          ...remarks,
          ...(mayAudit ? fitting.remarks : ["The audit entries are left out: the caller may not read them."]),
          ...(mayName ? [] : ["The names of users are left out: the caller may not read users."])
        ],
        nextSealDue: records.some(({ coverage }) => coverage === "PENDING") ? toRfc3339(now + sealMillis) : null,
        ...facts,
        people: mayName
          ? yield* namesOf(tenantId, [
              account,
              ...facts.cards.flatMap(({ decision }) => decision?.account ?? []),
              ...shown.map(({ entry }) => entry.account)
            ])
          : [],
        records,
        entries: shown,
        seals: yield* sealsOf(tenantId, numbers),
        keys: yield* signatures.keys
      })
    })
  })
})

export const layer = Layer.effect(Proofs, make)
