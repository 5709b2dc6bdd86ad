import { Clock, Effect, Option, Result } from "effect"
import { accountIdOf } from "../access/Account.ts"
import { Caller } from "../access/Caller.ts"
import { nameOf, type Privilege, type PrivilegeName, type Privileges, privilegesOf } from "../access/Privilege.ts"
import * as Links from "../crud/Links.ts"
import { ResourceStore } from "../crud/ResourceStore.ts"
import type { Services } from "../crud/ResourceWrites.ts"
import { Credential } from "../holding/Credential.ts"
import { Exemption } from "../holding/Exemption.ts"
import { Worker, type WorkerFields } from "../people/Worker.ts"
import { tagAt } from "../resource/EntityTag.ts"
import { isNoStoredText } from "../resource/ListQuery.ts"
import type { Stored } from "../resource/Resource.ts"
import { FetchRequest } from "../screening/FetchRequests.ts"
import { Ids } from "../shared/Id.ts"
import { Notifications } from "../shared/Notifications.ts"
import { RequestId } from "../shared/RequestId.ts"
import type { Mapping, RowFault } from "./ColumnMapping.ts"
import { advanced, halted, type Import, type Working } from "./Import.ts"
import {
  type Candidate,
  countOf,
  type ImportRow,
  keysOf,
  type Marked,
  matchOf,
  namesakeOf,
  type Outcome,
  type ReadRow,
  type RowKeys,
  readRow
} from "./ImportRow.ts"
import { ImportStore, type Work } from "./ImportStore.ts"
import { deciding, marking, type RowResult, undoRow, writeRow } from "./RowChange.ts"

/** Rows of a portion. Between two portions others work, and the place is stored. */
const portionMax = 200

/** Rows that are written concurrently; they share the store's commits. */
const atOnce = 32

/** The most ids of a read of the resource store, and of one with what they own. */
const idsMax = 100
const ownersMax = 50

/** The outcomes that a run carries out. */
const runnable: ReadonlyArray<Outcome> = ["CREATE", "UPDATE", "UNCHANGED"]
const undoable: ReadonlyArray<Outcome> = ["CREATED", "UPDATED"]

const of = (...operations: ReadonlyArray<Privilege["operation"]>): ReadonlyArray<PrivilegeName> =>
  operations.map((operation) => nameOf({ entityType: "worker", operation }))

/** The privileges that the account needs while the work goes on. */
const needed = {
  CHECKING: of("READ"),
  RUNNING: of("READ", "CREATE", "UPDATE"),
  UNDOING: of("READ", "UPDATE", "DELETE")
} as const satisfies Record<Working, ReadonlyArray<PrivilegeName>>

/** The privileges of the account that asked for the work; undefined if they do not suffice any more. */
const privilegesFor = (status: Working, { account }: Work): Privileges | undefined => {
  if (account === undefined || account.deactivatedAt !== null) return undefined
  const privileges = privilegesOf(account.role)
  return needed[status].every((name) => privileges.has(name)) ? privileges : undefined
}

const chunks = <A>(all: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size))

/** A row with its meaning. */
interface Understood extends RowKeys {
  readonly row: ImportRow
  readonly read: ReadRow
}

type Mark = Marked & Partial<RowKeys>

const markOf = (row: number, outcome: Outcome, rest: Partial<Omit<Mark, "row" | "outcome">> = {}): Mark => ({
  ...{ row, outcome, fault: null, workerId: null, sameAsRow: null },
  ...rest
})

const faulty = (row: number, fault: RowFault, rest: Partial<Mark> = {}) => markOf(row, "FAULTY", { fault, ...rest })

const several: RowFault = { column: null, reason: "has an external id that several workers have" }
const repeated = (first: number): RowFault => ({ column: null, reason: `has the same external id as row ${first}` })
const touched: RowFault = { column: null, reason: "was not undone, because the worker was changed meanwhile" }

/** Reads the rows by the mapping. Returns the marks of those that cannot be read, too. */
const understand = (mapping: Mapping, rows: ReadonlyArray<ImportRow>) => {
  const understood: Array<Understood> = []
  const unread: Array<Mark> = []
  for (const row of rows) {
    const read = readRow(mapping, row.cells)
    if (Result.isSuccess(read)) understood.push({ row, read: read.success, ...keysOf(read.success) })
    else unread.push(faulty(row.row, read.failure, { idKey: "", nameKey: "" }))
  }
  return { understood, unread }
}

/** Returns the first row with each key, of these rows and of earlier ones. */
const firstOf = (
  key: keyof RowKeys,
  earlier: ReadonlyMap<string, number>,
  rows: ReadonlyArray<Understood>
): ReadonlyMap<string, number> => {
  const first = new Map(earlier)
  for (const { [key]: value, row } of rows) if (value !== "" && !first.has(value)) first.set(value, row.row)
  return first
}

/** A function that does the next portion of an import's work. */
export const makeStep = Effect.gen(function* () {
  const store = yield* ImportStore
  const resources = yield* ResourceStore
  const ids = yield* Ids
  const notifications = yield* Notifications
  const servicesOver = (over: ResourceStore["Service"]): Services => ({
    ...{ store: over, ids, notifications, resolve: Links.makeResolve(over) },
    ...{ auditId: ids.source("audit"), eventId: ids.source("event") }
  })

  const findAll = (tenantId: string, workers: ReadonlyArray<string>) =>
    Effect.map(
      Effect.forEach(chunks(workers, idsMax), (some) => resources.findAll(Worker, tenantId, some)),
      (found) => new Map<string, Stored<WorkerFields>>(found.flatMap((each) => [...each]))
    )

  const candidatesOf = (tenantId: string, rows: ReadonlyArray<Understood>) => {
    const stored = (texts: ReadonlyArray<string | undefined>) => [
      ...new Set(texts.filter((text) => text !== undefined && !isNoStoredText(text)) as ReadonlyArray<string>)
    ]
    return store.candidates(tenantId, {
      externalIds: stored(rows.map(({ read }) => read.externalId)),
      names: stored(rows.map(({ read }) => read.person?.name))
    })
  }

  /** Judges what a row does: the worker that it updates, the one that it repeats, or its fault. */
  const aimOf = ({ read, row }: Understood, candidates: ReadonlyArray<Candidate>) =>
    Result.match(matchOf(read, candidates), {
      onFailure: () => ({ mark: faulty(row.row, several), match: Option.none<string>(), namesake: undefined }),
      onSuccess: (match) => ({
        ...{ mark: undefined, match },
        namesake: Option.isSome(match) ? undefined : namesakeOf(read, candidates)
      })
    })

  const check = Effect.fnUntraced(function* (it: Import, mapping: Mapping, rows: ReadonlyArray<ImportRow>) {
    const { tenantId } = it
    const { understood, unread } = understand(mapping, rows)
    const keys = (key: keyof RowKeys) => [...new Set(understood.map((each) => each[key]).filter((text) => text !== ""))]
    const earlier = yield* store.firstRows(tenantId, it.id, { ids: keys("idKey"), names: keys("nameKey") }, it.cursor)
    const first = {
      id: firstOf("idKey", earlier.byId, understood),
      name: firstOf("nameKey", earlier.byName, understood)
    }
    const candidates = yield* candidatesOf(tenantId, understood)
    const aims = understood.map((each) => ({ each, aim: aimOf(each, candidates) }))
    const present = yield* findAll(tenantId, [...new Set(aims.flatMap(({ aim }) => Option.toArray(aim.match)))])
    const services = servicesOver(deciding(resources, present))
    const marks = yield* Effect.forEach(aims, ({ aim, each: { idKey, nameKey, read, row } }) =>
      Effect.gen(function* () {
        const sameId = first.id.get(idKey) ?? row.row
        const sameName = first.name.get(nameKey) ?? row.row
        const result = yield* writeRow(services, it.mapped, aim.match, read.document)
        const rest = { idKey, nameKey, workerId: result.workerId }
        if (result.fault !== null) return faulty(row.row, result.fault, rest)
        if (aim.mark !== undefined) return { ...aim.mark, ...rest }
        if (sameId < row.row) return faulty(row.row, repeated(sameId), { ...rest, sameAsRow: sameId })
        if (aim.namesake !== undefined) return markOf(row.row, "DUPLICATE", { ...rest, workerId: aim.namesake })
        if (result.does === "create" && sameName < row.row) {
          return markOf(row.row, "DUPLICATE", { ...rest, sameAsRow: sameName })
        }
        const outcome = result.does === "create" ? "CREATE" : result.does === "update" ? "UPDATE" : "UNCHANGED"
        return markOf(row.row, outcome, rest)
      })
    )
    return [...unread, ...marks]
  })

  const resultMark = (row: number, { does, fault, workerId }: RowResult): ReadonlyArray<Mark> =>
    fault !== null
      ? [faulty(row, fault, { workerId })]
      : does === "nothing"
        ? [markOf(row, "UNCHANGED", { workerId })]
        : [] // its change has marked the row

  const run = Effect.fnUntraced(function* (it: Import, mapping: Mapping, rows: ReadonlyArray<ImportRow>) {
    const from: ReadonlyArray<Outcome> = it.withDuplicates ? [...runnable, "DUPLICATE"] : runnable
    const { understood } = understand(
      mapping,
      rows.filter(({ outcome }) => from.includes(outcome))
    )
    const candidates = yield* candidatesOf(it.tenantId, understood)
    const marks = yield* Effect.forEach(
      understood,
      (each) =>
        Effect.gen(function* () {
          const { read, row } = each
          const aim = aimOf(each, candidates)
          if (aim.mark !== undefined) return [aim.mark]
          if (aim.namesake !== undefined && !it.withDuplicates) {
            return [markOf(row.row, "DUPLICATE", { workerId: aim.namesake })]
          }
          const services = servicesOver(marking(resources, { importId: it.id, row: row.row, from }))
          return resultMark(row.row, yield* writeRow(services, it.mapped, aim.match, read.document))
        }),
      { concurrency: atOnce }
    )
    return marks.flat()
  })

  /** Returns the first row whose worker is not as the row has left it. */
  const touchedRow = Effect.fnUntraced(function* (tenantId: string, rows: ReadonlyArray<ImportRow>) {
    const done = rows.filter(({ outcome }) => undoable.includes(outcome))
    const present = yield* findAll(
      tenantId,
      done.flatMap(({ workerId }) => workerId ?? [])
    )
    const changed = done.find(({ tag, workerId }) => {
      const worker = present.get(workerId ?? "")
      return worker === undefined || worker.deletedAt !== null || tagAt(Worker, worker, { today: "" }).text !== tag
    })
    if (changed !== undefined) return changed
    const created = done.filter(({ outcome }) => outcome === "CREATED")
    for (const some of chunks(created, ownersMax)) {
      const workers = some.flatMap(({ workerId }) => workerId ?? [])
      for (const resource of [Credential, Exemption, FetchRequest]) {
        const held = yield* resources.heldByEach<never>(resource as never, tenantId, workers, 1)
        const owner = some.find(({ workerId }) => held.has(workerId ?? ""))
        if (owner !== undefined) return owner
      }
    }
    return undefined
  })

  const undo = (it: Import, rows: ReadonlyArray<ImportRow>) =>
    Effect.map(
      Effect.forEach(
        rows.filter(({ outcome }) => undoable.includes(outcome)),
        ({ before, outcome, row, tag, workerId }) =>
          Effect.gen(function* () {
            if (tag === null || workerId === null) return []
            const mark = { importId: it.id, row, from: [outcome] }
            const services = servicesOver(marking(resources, mark, () => "UNDONE"))
            return (yield* undoRow(services, { before, tag, workerId }))
              ? []
              : [markOf(row, "KEPT", { fault: touched, workerId })]
          }),
        { concurrency: atOnce }
      ),
      (marks) => marks.flat()
    )

  const marksOf = (
    it: Import,
    rows: ReadonlyArray<ImportRow>
  ): Effect.Effect<ReadonlyArray<Mark>, never, Caller | RequestId> => {
    const mapping: Mapping = { columns: it.columns.map(({ name }) => name), mapped: it.mapped, dateOrder: it.dateOrder }
    switch (it.status) {
      case "CHECKING":
        return check(it, mapping, rows)
      case "RUNNING":
        return run(it, mapping, rows)
      default:
        return it.isUntouched ? undo(it, rows) : Effect.succeed([])
    }
  }

  /** The rows as they are after the portion, for the counts. */
  const outcomesOf = Effect.fnUntraced(function* (
    it: Import,
    rows: ReadonlyArray<ImportRow>,
    marks: ReadonlyArray<Mark>
  ) {
    if (it.status === "CHECKING") return marks
    const marked = new Map(marks.map(({ outcome, row }) => [row, outcome]))
    const now = yield* store.rows(it.tenantId, it.id, { after: it.cursor, limit: portionMax })
    return now.slice(0, rows.length).map(({ outcome, row }) => ({ outcome: marked.get(row) ?? outcome }))
  })

  const portion = Effect.fnUntraced(function* (it: Import) {
    const rows = yield* store.rows(it.tenantId, it.id, { after: it.cursor, limit: portionMax })
    if (it.status === "UNDOING" && !it.isUntouched) {
      const changed = yield* touchedRow(it.tenantId, rows)
      if (changed !== undefined) {
        const problem = `Nothing was undone: ${changed.workerId}, row ${changed.row}, was changed or used after the import.`
        yield* store.advance(halted(it, "DONE", problem, yield* Clock.currentTimeMillis), [])
        return
      }
    }
    const marks = yield* marksOf(it, rows)
    const outcomes = yield* outcomesOf(it, rows, marks)
    const next = advanced(
      it,
      {
        cursor: rows.at(-1)?.row ?? it.cursor,
        seen: it.seen + rows.length,
        counts: countOf(outcomes, it.counts),
        isLast: rows.length < portionMax
      },
      yield* Clock.currentTimeMillis
    )
    yield* store.advance(next, marks)
  })

  /**
   * Does the next portion of an import's work on behalf of the account that asked for it. A portion that was cut off can
   * be repeated: rows that are done are left alone. A row is done once, also if two workers do the same portion.
   */
  const step = Effect.fn("ImportSteps.step")(function* (work: Work) {
    const { it, timeZone } = work
    const status = it.status as Working
    const privileges = privilegesFor(status, work)
    if (privileges === undefined) {
      const problem = `${it.actor.account} may not do this any more.`
      const stopped = halted(
        it,
        status === "CHECKING" ? "UPLOADED" : "STOPPED",
        problem,
        yield* Clock.currentTimeMillis
      )
      yield* store.advance(stopped, [])
      return
    }
    const caller: Caller["Service"] = {
      ...{ tenantId: it.tenantId, timeZone, account: it.actor.account, privileges, rateLimitKey: it.id },
      ...{ bearer: it.actor.bearer ?? { kind: "session", id: accountIdOf(it.actor.account) } },
      ...{ rateLimit: null, workerId: null }
    }
    yield* portion(it).pipe(Effect.provideService(Caller, caller), Effect.provideService(RequestId, it.actor.requestId))
  })

  /** Ends work that fails again and again. */
  const halt = Effect.fnUntraced(function* ({ it }: Work) {
    const problem = "The work failed several times because of an internal error. Ask for it again, or ask the operator."
    const status = it.status === "CHECKING" ? "UPLOADED" : "STOPPED"
    yield* store.advance(halted(it, status, problem, yield* Clock.currentTimeMillis), [])
  })

  return { step, halt }
})
