import { useState } from "preact/hooks"
import { call } from "../calls/Call.ts"
import { useRead } from "../calls/Queries.ts"
import { allPages, BatchRun, type BatchState, type Collecting } from "../lists/Batch.tsx"
import { kindOptions, type Person, type PersonKind } from "../people/Person.ts"
import { PersonPicker } from "../people/PersonPicker.tsx"
import { Screen } from "../shell/Screen.tsx"
import { SelectField } from "../widgets/Field.tsx"

/** Credentials of one call. The API takes 500 (§2.2). */
const batchMax = 500

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

interface Parties {
  readonly from: Person
  readonly to: Person
}

/** The effect that a move would have. */
const Preview = ({ from, to, total }: Parties & { readonly total: number | undefined }) => {
  if (from.id === to.id) return <p>Choose two different people.</p>
  const name = <strong>{from.name}</strong>
  if (total === 0) return <p>{name} owns no credentials now.</p>
  return (
    <p>
      {total ?? "…"} {total === 1 ? "credential" : "credentials"} of {name} would move to <strong>{to.name}</strong>.
      Those that {to.name} cannot take are refused and listed.
    </p>
  )
}

/** The preview, the move and the report of two people. */
const Move = ({
  from,
  onAgain,
  onState,
  to
}: Parties & Pick<Parameters<typeof BatchRun>[0], "onAgain" | "onState">) => {
  const owned = { ownerType: from.type, ownerId: from.id }
  const preview = useRead("GET /credentials", { query: { ...owned, pageSize: "1", includeTotal: "true" } })
  const total = preview.isPlaceholderData ? undefined : preview.data?.meta.total
  const collect = async (collecting: Collecting) => {
    const page = { ...owned, pageSize: "100", sort: "createdAt:asc" }
    const found = await allPages((cursor) => call("GET /credentials", { query: { ...page, cursor } }), collecting)
    return found.map(({ id }) => id)
  }
  const send = async (credentialIds: ReadonlyArray<string>) => {
    const body = { from: { type: from.type, id: from.id }, to: { type: to.type, id: to.id }, credentialIds }
    const { data } = await call("POST /credentials/transfer", { body })
    return data.map(({ credentialId, error, status }) => ({
      name: <a href={`/console/credentials/${credentialId}`}>{credentialId}</a>,
      ...(status === "skipped" ? { error: error?.message ?? "no reason" } : {})
    }))
  }
  return (
    <section class="block">
      <h2>Preview</h2>
      <Preview from={from} to={to} total={total} />
      <BatchRun
        action="Move"
        things="Credentials"
        verb="moved"
        work={`The move from ${from.name} to ${to.name}`}
        batch={{ collect, send, size: batchMax }}
        isReady={from.id !== to.id && total !== undefined && total > 0}
        onState={onState}
        onAgain={onAgain}
      />
    </section>
  )
}

/** Moves all credentials of one owner to another: preview, batches with progress, stop, resume and a report. */
export const BulkMove = () => {
  const [from, setFrom] = useState<Person | null>(null)
  const [to, setTo] = useState<Person | null>(null)
  const [state, setState] = useState<BatchState>("ready")
  const [round, setRound] = useState(0)
  return (
    <Screen title="Move credentials">
      <p class="quiet">
        All credentials of one owner move to another. Nothing is verified again. Stay on this screen until the move has
        ended: leaving stops it.
      </p>
      <fieldset class="cards" disabled={state === "running"}>
        <legend class="unseen">People</legend>
        <Party label="From" chosen={from} onChoose={setFrom} />
        <Party label="To" chosen={to} onChoose={setTo} />
      </fieldset>
      {from === null || to === null ? null : (
        <Move
          key={`${from.id} ${to.id} ${round}`}
          from={from}
          to={to}
          onState={setState}
          onAgain={() => setRound(round + 1)}
        />
      )}
    </Screen>
  )
}
