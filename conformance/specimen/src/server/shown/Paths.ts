import type { Request } from "../Call.ts"
import type { World } from "../World.ts"

/** Groups that can be at another path. */
const moved: ReadonlyArray<readonly [usual: string, other: string]> = [
  ["/applicants", "/people/directory"],
  ["/exemptions", "/waivers"],
  ["/compliance-checks", "/policies/all"]
]

const isBelow = (path: string, place: string): boolean => path === place || path.startsWith(`${place}/`)

const swapped = (path: string, from: string, to: string): string => `${to}${path.slice(from.length)}`

const isMoved = ({ chosen }: World): boolean => chosen("paths of some groups", "usual") === "other"

/** The path of a resource or group, as callers know it. */
export const pathOutside = (world: World, path: string): string => {
  const [usual, other] = moved.find(([place]) => isBelow(path, place)) ?? ["", ""]
  return usual !== "" && isMoved(world) ? swapped(path, usual, other) : path
}

/** The path in the table of routes. A path that the server does not have is `/nowhere`. */
const pathInside = (world: World, path: string): string => {
  if (!isMoved(world)) return path
  if (pathOutside(world, path) !== path) return "/nowhere"
  const [usual, other] = moved.find(([, place]) => isBelow(path, place)) ?? ["", ""]
  return other === "" ? path : swapped(path, other, usual)
}

/** The method and the path of a request below the root, as in the table of routes. */
export const routed = (world: World, { method }: Request, path: string): readonly [method: string, path: string] => {
  const inside = pathInside(world, path)
  if (world.chosen("deletes", "DELETE") === "DELETE") return [method, inside]
  const [, resource] = method === "POST" ? (/^(.+)\/archive$/.exec(inside) ?? []) : []
  if (resource !== undefined) return ["DELETE", resource]
  return [method === "DELETE" ? "none" : method, inside]
}
