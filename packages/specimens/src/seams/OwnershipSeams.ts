import type { Json } from "@wcs/conformance/wire/Json"
import type { Slots } from "@wcs/domain/credential/Credential"
import * as Domain from "@wcs/domain/ownership/Ownership"
import { OwnershipStore, type Transition } from "@wcs/domain/ownership/OwnershipStore"
import { noRecords } from "@wcs/domain/resource/ChangeRecords"
import { Clock, Effect, Result } from "effect"
import type { Serve } from "../Serve.ts"
import * as Rewrite from "./Rewrite.ts"
import * as Seams from "./Seams.ts"

/** What a defect makes of a command in a state; undefined where it makes what the rule says. */
export type Defect = (owners: Domain.Owners, command: Domain.Command) => Domain.Decision | undefined

const decideBy =
  (defect: Defect): typeof Domain.decide =>
  (owners, command, isPresent) =>
    defect(owners, command) ?? Domain.decide(owners, command, isPresent)

/** The table of transitions with a defect, for one credential; in bulk it is as it should be. */
export const deciding = (defect: Defect) => Seams.rules(Domain.Ownership, () => ({ decide: decideBy(defect) }))

/** The table of transitions with a defect, in bulk only. */
export const decidingInBulk = (defect: Defect) =>
  Seams.rules(Domain.Ownership, () => ({
    decideBatch: (ids, slots, command, isPresent) =>
      Domain.decideBatch(ids, slots, command, isPresent, decideBy(defect))
  }))

/** What a batch comes to, changed. */
export const batches = (
  change: (
    batch: Domain.BatchDecision,
    command: Domain.BatchCommand,
    slots: ReadonlyMap<string, Domain.Owners>
  ) => Domain.BatchDecision
) =>
  Seams.rules(Domain.Ownership, ({ decideBatch }) => ({
    decideBatch: (ids, slots, command, ...rest) => change(decideBatch(ids, slots, command, ...rest), command, slots)
  }))

/** The slots with somebody in one of them, or nobody. */
export const withSlot = (owners: Domain.Owners, slot: Domain.OwnerType, id: string | null): Domain.Owners => ({
  ...owners,
  [slot]: id
})

export const otherSlot = (slot: Domain.OwnerType): Domain.OwnerType => (slot === "worker" ? "applicant" : "worker")

/** The decision to put these owners in. */
export const into = (owners: Domain.Owners): Domain.Decision => ({ _tag: "Changed", owners })

/** The decision to refuse. */
export const because = (reason: Domain.Refusal): Domain.Decision => ({ _tag: "Refused", reason })

/** A transition as a wrapper of the store sees it. */
export interface Seen extends Transition<unknown> {
  /** What was done, as the audit has it: `link`, `bulk transfer`; undefined where nothing was. */
  readonly action: string | undefined
  /** The slots of what was chosen, before. */
  readonly found: ReadonlyArray<Slots>
}

/** A store that answers as if it had kept a change, and does not keep it. */
export const losing = (isLost: (seen: Seen) => boolean) =>
  Seams.store(OwnershipStore, ({ transition }) => ({
    transition: (tenantId, chosen, entering, decide) =>
      transition(tenantId, chosen, entering, (found, isPresent) =>
        Result.map(decide(found, isPresent), (made) =>
          isLost({ ...made, action: made.records.audit[0]?.action, found })
            ? { ...made, changes: new Map(), records: noRecords }
            : made
        )
      )
  }))

/** A store that writes what it refuses: the refusal is answered, and the change is there. `write` undefined: it is not. */
export const writingWhatIsRefused = (
  write: (
    refusal: unknown,
    owners: Domain.Owners,
    entering: Domain.OwnerReference | undefined
  ) => Domain.Owners | undefined
) =>
  Seams.store(OwnershipStore, ({ transition }) => ({
    transition: (tenantId, chosen, entering, decide) =>
      transition(tenantId, chosen, entering, decide).pipe(
        Effect.tapError((refusal) =>
          Effect.flatMap(Clock.currentTimeMillis, (at) =>
            transition(tenantId, chosen, entering, (found) => {
              const changes = new Map(
                found.flatMap(({ id, owners }) => {
                  const written = write(refusal, owners, entering)
                  return written === undefined ? [] : [[id, written] as const]
                })
              )
              return Result.succeed({ answer: undefined, changes, records: noRecords, at })
            })
          )
        )
      )
  }))

/** Milliseconds between the look at the slots and the write, where these are not one. */
const windowMillis = 2

/** The slots with what a change was to change of those that it was decided by, and the rest as it is now. */
const patched = (now: Domain.Owners, seen: Domain.Owners, wanted: Domain.Owners): Domain.Owners => ({
  worker: wanted.worker === seen.worker ? now.worker : wanted.worker,
  applicant: wanted.applicant === seen.applicant ? now.applicant : wanted.applicant
})

/**
 * A store that looks at the slots, and a moment later writes what was decided by what it saw, whatever is there by then:
 * a check and a set that are not one. Whatever `isSo` is not of is done as it should be.
 */
export const checkingBeforehand = (isSo: (seen: Seen) => boolean) =>
  Seams.store(OwnershipStore, ({ transition }) => ({
    transition: (tenantId, chosen, entering, decide) =>
      Effect.gen(function* () {
        const at = yield* Clock.currentTimeMillis
        const { answer: looked } = yield* transition(tenantId, chosen, entering, (found, isPresent) =>
          Result.succeed({
            answer: { found, decided: decide(found, isPresent) },
            changes: new Map(),
            records: noRecords,
            at
          })
        )
        const { decided, found } = looked
        const isRacy =
          Result.isSuccess(decided) &&
          isSo({ ...decided.success, action: decided.success.records.audit[0]?.action, found })
        if (!isRacy) return yield* transition(tenantId, chosen, entering, decide)
        yield* Effect.sleep(windowMillis)
        return yield* transition(tenantId, chosen, entering, (now) =>
          Result.map(decided, (made) => ({
            ...made,
            changes: new Map(
              [...made.changes].map(([id, owners]) => {
                const [before, current] = [found, now].map(
                  (slots) => slots.find((one) => one.id === id)?.owners ?? owners
                )
                return [id, patched(current ?? owners, before ?? owners, owners)] as const
              })
            )
          }))
        )
      })
  }))

const shownOwners = "data.attributes.owners"

/**
 * Reads that show, from a refused call on, what that call was refused for: `keeps` says the slot and what it then holds,
 * for a call that leaves something behind. The state itself cannot be had, since the contract lets no such call through.
 */
export const showingWhatWasRefused =
  (where: Rewrite.Where, keeps: (body: string) => readonly [slot: Domain.OwnerType, holder: Json]) =>
  (serve: Serve): Serve => {
    const kept = new Map<string, readonly [slot: Domain.OwnerType, holder: Json]>()
    return Rewrite.all(
      Rewrite.answers({ method: "GET", path: /^\/credentials\/cred_[^/]+$/, status: 200 }, (answer, request) => {
        const [slot, holder] = kept.get(Rewrite.pathOf(request)) ?? []
        return slot === undefined || holder === undefined
          ? answer
          : Rewrite.mapJson((body) => Rewrite.put(body, `${shownOwners}.${slot}`, holder))(answer)
      }),
      Rewrite.answers({ ...where, status: 400 }, (answer, request) => {
        kept.set(Rewrite.pathOf(request).replace(/\/[^/]+$/, ""), keeps(request.body))
        return answer
      })
    )(serve)
  }
