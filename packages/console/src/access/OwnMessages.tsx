import { useEffect, useState } from "preact/hooks"
import { tagOf } from "../calls/Call.ts"
import type { Output } from "../calls/Contract.ts"
import { useChange, useRead } from "../calls/Queries.ts"
import { type OwnKind, ownKindNames } from "../messages/Kinds.ts"
import { CheckField } from "../widgets/Field.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import { Problem } from "../widgets/Problem.tsx"

type Ticks = Readonly<Partial<Record<OwnKind, boolean>>>

/** A tick is saved at once. Those that follow while a save runs are saved after it. After a refusal, the boxes return. */
const Choices = ({ answer }: { readonly answer: Output<"GET /me/messages"> }) => {
  const save = useChange("PUT /me/messages")
  const [ticks, setTicks] = useState<Ticks>({})
  const { type: _, ...own } = answer.data
  const open = ownKindNames.filter(([kind]) => ticks[kind] !== undefined && ticks[kind] !== own[kind])
  useEffect(() => {
    if (open.length === 0 || save.isPending || save.error !== null) return
    save.mutate({ body: { ...own, ...ticks }, ifMatch: tagOf(answer) }, { onError: () => setTicks({}) })
  }, [open.length, save.isPending, answer])
  return (
    <>
      {ownKindNames.map(([kind, name]) => (
        <CheckField
          key={kind}
          label={`Send me: ${name}`}
          value={ticks[kind] ?? own[kind]}
          onChange={(isWanted) => {
            save.reset() // a refusal of an earlier tick does not stop this one
            setTicks({ ...ticks, [kind]: isWanted })
          }}
        />
      ))}
      <Problem error={save.error} />
    </>
  )
}

/** Which messages the user receives. */
export const OwnMessages = () => {
  const read = useRead("GET /me/messages", {})
  return (
    <>
      <h2>Messages</h2>
      <p class="quiet">E-mails to you, if your organization sends them.</p>
      <Loaded read={read}>{(answer) => <Choices answer={answer} />}</Loaded>
    </>
  )
}
