import { useRef, useState } from "preact/hooks"
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
  /** The ticks that are shown, because they are not stored yet. */
  const [ticks, setTicks] = useState<Ticks>({})
  const waiting = useRef<Ticks>({})
  const send = (present: Pick<typeof answer, "data">) => {
    const { type: _, ...own } = present.data
    const body = { ...own, ...waiting.current }
    waiting.current = {}
    save.mutate(
      { body, ifMatch: tagOf(present) },
      {
        onSuccess: (stored) => {
          if (Object.keys(waiting.current).length > 0) send(stored)
          else setTicks({})
        },
        onError: () => {
          waiting.current = {}
          setTicks({})
        }
      }
    )
  }
  return (
    <>
      {ownKindNames.map(([kind, name]) => (
        <CheckField
          key={kind}
          label={`Send me: ${name}`}
          value={ticks[kind] ?? answer.data[kind]}
          onChange={(isWanted) => {
            setTicks({ ...ticks, [kind]: isWanted })
            waiting.current = { ...waiting.current, [kind]: isWanted }
            if (!save.isPending) send(answer)
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
