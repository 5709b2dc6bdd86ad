import { useTypeOptions } from "./TypeOptions.ts"

/** Types of credentials by their names. */
export const TypeNames = ({
  codes = [],
  joined = ", "
}: {
  readonly codes?: ReadonlyArray<string> | undefined
  readonly joined?: string
}) => {
  const names = new Map(useTypeOptions())
  return codes.length === 0 ? (
    <span class="quiet">none</span>
  ) : (
    <span>{codes.map((code) => names.get(code) ?? code).join(joined)}</span>
  )
}
