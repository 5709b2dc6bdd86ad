import type { AuditEntry } from "@wcs/domain/audit/AuditEntry"
import type { StoredEvent } from "@wcs/domain/audit/EventStore"
import { type OwnerReference, type Owners, ownersIn, ownerTypes, type Refusal } from "@wcs/domain/ownership/Ownership"
import { codeOf } from "@wcs/domain/service/Refusals"
import type { Command, Exchange, History, ShownDocument } from "./History.ts"
import type { Row, Stored } from "./Stored.ts"

/** A state of a credential, with the time of its change. */
interface State {
  readonly at: number
  readonly owners: Owners
}

const sameOwners = (one: Owners, other: Owners): boolean => ownerTypes.every((type) => one[type] === other[type])

const grouped = <Item>(items: ReadonlyArray<Item>, keyOf: (item: Item) => string): Map<string, Array<Item>> => {
  const groups = new Map<string, Array<Item>>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group === undefined) groups.set(keyOf(item), [item])
    else group.push(item)
  }
  return groups
}

const holds = (state: Owners, { id, type }: OwnerReference) => state[type] === id

/** Whether a command in a state is refused for this reason (§3). */
const reasons: { readonly [Tag in Refusal["_tag"]]: (state: Owners, command: Command) => boolean } = {
  AlreadyLinked: (state, command) =>
    command.action !== "unlink" && state[command.to.type] !== null && !holds(state, command.to),
  OwnerMismatch: (state, command) => command.action !== "link" && !holds(state, command.from),
  LastOwner: (state, command) =>
    command.action === "unlink" && holds(state, command.from) && ownersIn(state).length === 1,
  OwnerNotFound: () => false // no owner is deleted
}
const tags = Object.keys(reasons) as ReadonlyArray<Refusal["_tag"]>

const explains = (state: Owners, command: Command, code: string): boolean =>
  tags.some((tag) => codeOf(tag) === code && reasons[tag](state, command))

/** Compares a store after a kill with the responses of its clients. */
class Checker {
  readonly violations: Array<string> = []
  readonly #history: History
  readonly #stored: Stored
  readonly #auditOf: ReadonlyMap<string, ReadonlyArray<AuditEntry>>
  readonly #auditBy: ReadonlyMap<string, ReadonlyArray<AuditEntry>>
  readonly #eventsOf: ReadonlyMap<string, ReadonlyArray<StoredEvent>>
  readonly #states: ReadonlyMap<string, ReadonlyArray<State>>

  constructor(history: History, stored: Stored) {
    this.#history = history
    this.#stored = stored
    const audit = stored.audit.filter(({ entityType }) => [...ownerTypes, "credential"].includes(entityType))
    this.#auditOf = grouped(audit, ({ entityId }) => entityId)
    this.#auditBy = grouped(audit, ({ requestId }) => requestId)
    this.#eventsOf = grouped(stored.events, ({ subjectId }) => subjectId)
    this.#states = new Map(
      Array.from(this.#eventsOf, ([id, events]) => [
        id,
        events.map(({ at, data }) => ({ at, owners: (data as { credential: { owners: Owners } }).credential.owners }))
      ])
    )
  }

  #complain(what: string): void {
    this.violations.push(what)
  }

  /** Checks that rows, audit entries and events are consistent. */
  agreement(): void {
    if (this.#stored.soundness !== "ok") this.#complain(`quick_check: ${this.#stored.soundness}`)
    for (const row of this.#stored.rows.values()) this.#rowAgrees(row)
    for (const id of this.#auditOf.keys()) if (!this.#stored.rows.has(id)) this.#complain(`${id} is audited, not there`)
    for (const id of this.#states.keys()) if (!this.#stored.rows.has(id)) this.#complain(`${id} has events, no row`)
  }

  #rowAgrees({ deletedAt, id, owners, updatedAt, version }: Row): void {
    const audit = this.#auditOf.get(id) ?? []
    if (audit.length !== version) this.#complain(`${id} has version ${version} and ${audit.length} audit entries`)
    if (audit.at(-1)?.at !== updatedAt) this.#complain(`${id} was updated at another moment than its last audit entry`)
    if ((audit.at(-1)?.action === "delete") !== (deletedAt !== null)) this.#complain(`${id}: deleted or not?`)
    if (owners === undefined) return
    const events = this.#eventsOf.get(id) ?? []
    const told = deletedAt === null ? version : version - 1 // a deletion has no event
    const sequences = events.map(({ sequence }) => sequence).join()
    if (sequences !== Array.from({ length: told }, (_, n) => n + 1).join()) {
      this.#complain(`${id} has version ${version} and the events ${sequences}`)
    }
    if (events.some(({ at }, n) => at !== audit[n]?.at)) this.#complain(`${id}: events and audit entries differ`)
    const last = this.#states.get(id)?.at(-1)
    if (last === undefined || !sameOwners(last.owners, owners)) this.#complain(`${id} has other slots than its events`)
  }

  /** Checks that each request wrote everything or nothing. */
  wholeness(): void {
    for (const [requestId, entries] of this.#auditBy) {
      const [first] = entries
      if (first === undefined) continue
      const ids = entries.map(({ entityId }) => entityId)
      const isWhole = first.action.startsWith("bulk ") ? this.#history.batches.has(ids.sort().join()) : ids.length === 1
      if (!isWhole) this.#complain(`${requestId} (${first.action}) was done by half: ${ids.join(" ")}`)
    }
  }

  /** Checks that acknowledged writes exist, and no unsent ones. */
  acknowledged(): void {
    for (const exchange of this.#history.exchanges) this.#isThere(exchange)
    for (const [id, { acknowledged, sent }] of this.#history.written) {
      const row = this.#stored.rows.get(id)
      if (row?.written !== acknowledged && (sent === undefined || row?.written !== sent)) {
        this.#complain(`${id} holds ${row?.written}, acknowledged was ${acknowledged}`)
      }
    }
    for (const row of this.#stored.rows.values()) {
      const deletion = this.#history.deletions.get(row.id)
      if (deletion === true && row.deletedAt === null) this.#complain(`${row.id} was deleted, and is there`)
      if (deletion === undefined && row.deletedAt !== null)
        this.#complain(`${row.id} was not deleted, and is not there`)
    }
    const answered = new Set(this.#history.exchanges.map(({ answer }) => answer.requestId))
    for (const { requestId } of this.#history.failures) answered.add(requestId) // done or not
    const strangers = [...this.#auditBy.keys()].filter((requestId) => !answered.has(requestId)).length
    if (strangers > this.#history.unanswered - this.#history.failures.length)
      this.#complain(`${strangers} writes without a request`)
  }

  #isThere(exchange: Exchange): void {
    const { requestId, status } = exchange.answer
    const written = this.#auditBy.get(requestId) ?? []
    if (status >= 400) this.#isExplained(exchange, written)
    else this.#isKept(exchange, written)
  }

  #isKept(exchange: Exchange, written: ReadonlyArray<AuditEntry>): void {
    const { body, requestId } = exchange.answer
    switch (exchange.kind) {
      case "bulk": {
        const { data } = body as {
          readonly data: ReadonlyArray<{ readonly credentialId: string; readonly status: string }>
        }
        const changed = data.filter((item) => item.status !== "noop").map(({ credentialId }) => credentialId)
        const lost = changed.filter((id) => !written.some(({ entityId }) => entityId === id))
        if (lost.length > 0) this.#complain(`${requestId} (bulk) was acknowledged and lost: ${lost.join(" ")}`)
        return
      }
      case "delete":
        if (written.length !== 1) this.#complain(`${requestId} (delete ${exchange.id}) was acknowledged and lost`)
        return
      default:
        this.#wasShown((body as { readonly data: ShownDocument }).data, exchange.kind, requestId)
    }
  }

  /** Checks that every returned state was committed. */
  #wasShown({ attributes, id, updatedAt }: ShownDocument, kind: string, requestId: string): void {
    const at = Date.parse(updatedAt)
    const isKnown =
      attributes === undefined
        ? this.#auditOf.get(id)?.some((entry) => entry.at === at)
        : this.#states.get(id)?.some((state) => state.at === at && sameOwners(state.owners, attributes.owners))
    if (isKnown !== true) this.#complain(`${requestId} (${kind} ${id}) was acknowledged and lost`)
  }

  /** Checks that each refusal fits a committed state and wrote nothing. */
  #isExplained(exchange: Exchange, written: ReadonlyArray<AuditEntry>): void {
    const { body, requestId, status } = exchange.answer
    const { error } = body as { readonly error: { readonly code: string } }
    if (written.length > 0) this.#complain(`${requestId} was refused, and wrote`)
    const isExplained =
      exchange.kind === "changeOwner" &&
      this.#states.get(exchange.id)?.some(({ owners }) => explains(owners, exchange.command, error.code))
    if (isExplained !== true) this.#complain(`${requestId} (${exchange.kind}) was answered ${status} ${error.code}`)
  }
}

/** Returns the contradictions between a store and the history of its clients, as sentences. */
export const violations = (history: History, stored: Stored): ReadonlyArray<string> => {
  const checker = new Checker(history, stored)
  checker.agreement()
  checker.wholeness()
  checker.acknowledged()
  return checker.violations
}
