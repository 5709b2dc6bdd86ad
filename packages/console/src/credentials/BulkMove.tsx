import { useQueryClient } from "@tanstack/preact-query"
import { useEffect, useRef, useState } from "preact/hooks"
import { call } from "../calls/Call.ts"
import type { Data } from "../calls/Contract.ts"
import { useRead } from "../calls/Queries.ts"
import { Refusal } from "../calls/Refusal.ts"
import { kindOptions, type Person, type PersonKind } from "../people/Person.ts"
import { PersonPicker } from "../people/PersonPicker.tsx"
import { Screen } from "../shell/Screen.tsx"
import { announce } from "../widgets/Announcement.tsx"
import { SelectField } from "../widgets/Field.tsx"
import { Problem } from "../widgets/Problem.tsx"
import { Table } from "../widgets/Table.tsx"

type Item = Data<"POST /credentials/transfer">[number]

/** Credentials of one call. The API takes 500 (§2.2). */
const batchMax = 500
const pageMax = 100

const Party = ({
  chosen,
  label,
  onChoose
}: {
  readonly label: string
  readonly chosen: Person | null
  readonly onChoose: (person: Person | null) => void
}) => {
  const [kind, setKind] = useState<PersonKind>("worker")
  return (
    <div class="form">
      <SelectField
        label={label}
        value={kind}
        options={kindOptions}
        onChange={(next) => {
          setKind(next as PersonKind)
          onChoose(null)
        }}
      />
      <PersonPicker label={`${label}: person`} kind={kind} chosen={chosen} onChoose={onChoose} />
    </div>
  )
}

const pageOf = ({ id, type }: Person, cursor: string) =>
  call("GET /credentials", {
    query: { ownerType: type, ownerId: id, pageSize: String(pageMax), cursor, sort: "createdAt:asc" }
  })

/** All credentials of an owner, read in pages. */
const idsOf = async (owner: Person): Promise<ReadonlyArray<string>> => {
  const ids: Array<string> = []
  let cursor: string | null = ""
  while (cursor !== null) {
    const { data, meta }: Awaited<ReturnType<typeof pageOf>> = await pageOf(owner, cursor)
    ids.push(...data.map(({ id }) => id))
    cursor = meta.nextCursor
  }
  return ids
}

/** The progress of a move. */
interface Progress {
  readonly ids: ReadonlyArray<string>
  readonly done: number
  readonly items: ReadonlyArray<Item>
}

const Report = ({ items }: { readonly items: ReadonlyArray<Item> }) => {
  const skipped = items.filter(({ status }) => status === "skipped")
  const reasons = Map.groupBy(skipped, ({ error }) => error?.message ?? "no reason")
  return (
    <section class="block" role="status">
      <h2>Result</h2>
      <p>
        {items.length - skipped.length} moved, {skipped.length} skipped.
      </p>
      {skipped.length === 0 ? null : (
        <Table
          caption="Skipped credentials by reason"
          rows={[...reasons].map(([reason, all]) => ({ reason, all }))}
          keyOf={({ reason }) => reason}
          columns={[
            { heading: "Reason", cell: ({ reason }) => reason },
            { heading: "Credentials", cell: ({ all }) => all.length },
            {
              heading: "First",
              cell: ({ all }) => <a href={`/console/credentials/${all[0]?.credentialId}`}>{all[0]?.credentialId}</a>
            }
          ]}
        />
      )}
    </section>
  )
}

interface Parties {
  readonly from: Person
  readonly to: Person
}

/** Moves batches until none is left or `isWanted` is false. Reports the progress after each. */
const move = async (
  { from, to }: Parties,
  start: Progress | null,
  isWanted: () => boolean,
  onProgress: (progress: Progress) => void
) => {
  let now = start ?? { ids: await idsOf(from), done: 0, items: [] }
  onProgress(now)
  while (isWanted() && now.done < now.ids.length) {
    const credentialIds = now.ids.slice(now.done, now.done + batchMax)
    const body = { from: { type: from.type, id: from.id }, to: { type: to.type, id: to.id }, credentialIds }
    const { data } = await call("POST /credentials/transfer", { body })
    now = { ids: now.ids, done: now.done + credentialIds.length, items: [...now.items, ...data] }
    onProgress(now)
  }
}

/** The move between two people, with its progress. It can be stopped after a batch, and resumed. Leaving stops it. */
const useMove = (parties: Parties) => {
  const client = useQueryClient()
  const [progress, setProgress] = useState<Progress | null>(null)
  const [problem, setProblem] = useState<Refusal | null>(null)
  const [isMoving, setIsMoving] = useState(false)
  const isWanted = useRef(false)
  const isLeft = progress !== null && progress.done < progress.ids.length
  const run = () => {
    if (isWanted.current) return
    isWanted.current = true
    setIsMoving(true)
    setProblem(null)
    move(parties, isLeft ? progress : null, () => isWanted.current, setProgress)
      .catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error
        setProblem(error)
      })
      .finally(() => {
        isWanted.current = false
        setIsMoving(false)
        return client.invalidateQueries()
      })
  }
  const stop = () => {
    isWanted.current = false
  }
  useEffect(
    () => () => {
      if (!isWanted.current) return
      stop()
      announce(`The move from ${parties.from.name} to ${parties.to.name} stops after the present batch.`)
    },
    []
  )
  return { isLeft, isMoving, problem, progress, run, stop }
}

/** The effect that a move would have. */
const Preview = ({
  from,
  isLeft,
  to,
  total
}: Parties & { readonly isLeft: boolean; readonly total: number | undefined }) => {
  if (from.id === to.id) return <p>Choose two different people.</p>
  if (total === 0 && !isLeft) {
    return (
      <p>
        <strong>{from.name}</strong> owns no credentials.
      </p>
    )
  }
  return (
    <p>
      {total === undefined ? "…" : total} {total === 1 ? "credential" : "credentials"} of <strong>{from.name}</strong>{" "}
      would move to <strong>{to.name}</strong>. Those that {to.name} cannot take are skipped and listed.
    </p>
  )
}

/** The preview, the move and the report of two people. */
const Move = ({ from, onMoving, to }: Parties & { readonly onMoving: (isMoving: boolean) => void }) => {
  const { isLeft, isMoving, problem, progress, run, stop } = useMove({ from, to })
  useEffect(() => onMoving(isMoving), [isMoving])
  const preview = useRead("GET /credentials", {
    query: { ownerType: from.type, ownerId: from.id, pageSize: "1", includeTotal: "true" }
  })
  const total = preview.isPlaceholderData ? undefined : preview.data?.meta.total
  return (
    <>
      <section class="block">
        <h2>Preview</h2>
        <Preview from={from} to={to} total={total} isLeft={isLeft} />
        <div class="actions">
          {isMoving ? (
            <button type="button" onClick={stop}>
              Stop after this batch
            </button>
          ) : (
            <button
              type="button"
              class="main"
              disabled={from.id === to.id || total === undefined || (total === 0 && !isLeft)}
              onClick={run}
            >
              {isLeft ? "Resume" : "Move"}
            </button>
          )}
        </div>
        {progress === null ? null : (
          <label>
            {progress.done} of {progress.ids.length}
            <progress max={Math.max(1, progress.ids.length)} value={progress.done} />
          </label>
        )}
        <Problem error={problem} />
      </section>
      {progress === null || isMoving ? null : <Report items={progress.items} />}
    </>
  )
}

/** Moves all credentials of one owner to another: preview, batches with progress, stop, resume and a report. */
export const BulkMove = () => {
  const [from, setFrom] = useState<Person | null>(null)
  const [to, setTo] = useState<Person | null>(null)
  const [isMoving, setIsMoving] = useState(false)
  return (
    <Screen title="Move credentials">
      <p class="quiet">
        All credentials of one owner move to another. Nothing is verified again. Stay on this screen until the move has
        ended: leaving stops it.
      </p>
      <fieldset class="cards" disabled={isMoving}>
        <legend class="unseen">People</legend>
        <Party label="From" chosen={from} onChoose={setFrom} />
        <Party label="To" chosen={to} onChoose={setTo} />
      </fieldset>
      {from === null || to === null ? null : (
        <Move key={`${from.id} ${to.id}`} from={from} to={to} onMoving={setIsMoving} />
      )}
    </Screen>
  )
}
