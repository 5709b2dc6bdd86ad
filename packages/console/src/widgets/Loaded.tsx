import type { ComponentChildren } from "preact"
import type { Read } from "../calls/Queries.ts"
import { Problem } from "./Problem.tsx"
import { Skeleton } from "./Skeleton.tsx"

/** Shows an answer once it is there, and a skeleton before. */
export const Loaded = <Answer,>({
  children,
  read
}: {
  readonly read: Read<Answer>
  readonly children: (answer: Answer) => ComponentChildren
}) => (
  <>
    <Problem error={read.error} onRetry={read.refetch} />
    {read.data === undefined ? (
      read.error === null && <Skeleton />
    ) : (
      <div aria-busy={read.isPlaceholderData}>{children(read.data)}</div>
    )}
  </>
)
