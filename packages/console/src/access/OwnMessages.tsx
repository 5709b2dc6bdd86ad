import { useChange, useRead } from "../calls/Queries.ts"
import { ownKindNames } from "../messages/Kinds.ts"
import { CheckField } from "../widgets/Field.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import { Problem } from "../widgets/Problem.tsx"

/** Which messages the user receives. A tick is saved at once. */
export const OwnMessages = () => {
  const read = useRead("GET /me/messages", {})
  const save = useChange("PUT /me/messages")
  return (
    <>
      <h2>Messages</h2>
      <p class="quiet">E-mails to you, if your organization sends them.</p>
      <Loaded read={read}>
        {({ data: { type: _, ...own } }) => (
          <>
            {ownKindNames.map(([kind, name]) => (
              <CheckField
                key={kind}
                label={`Send me: ${name}`}
                value={own[kind]}
                onChange={(isWanted) => save.mutate({ body: { ...own, [kind]: isWanted } })}
              />
            ))}
            <Problem error={save.error} />
          </>
        )}
      </Loaded>
    </>
  )
}
