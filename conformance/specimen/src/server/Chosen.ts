/** A value that a server has at a point where the specification is silent. */
export type Value = string | number | boolean

/** The value of a server at a point of its code. `otherwise` is that of this server by default. */
export interface Chosen {
  (point: string, otherwise: string): string
  (point: string, otherwise: number): number
  (point: string, otherwise: boolean): boolean
}

/** A server with these values, by point. `note` is told of every point that the server asks for. */
export const chosenFrom = (
  values: ReadonlyMap<string, Value>,
  note: (point: string) => void = () => undefined
): Chosen => {
  function chosen(point: string, otherwise: string): string
  function chosen(point: string, otherwise: number): number
  function chosen(point: string, otherwise: boolean): boolean
  function chosen(point: string, otherwise: Value): Value {
    note(point)
    return values.get(point) ?? otherwise
  }
  return chosen
}

/** The server as it is by default. */
export const byDefault: Chosen = chosenFrom(new Map())
