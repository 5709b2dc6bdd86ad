import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"

const runs = (command: string, ...args: ReadonlyArray<string>): boolean => spawnSync(command, args).status === 0

/** Whether this user may mount file systems on this machine: root on Linux, where nothing forbids it. */
export const canMount: boolean = (() => {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false
  const path = mkdtempSync(join(tmpdir(), "wcs-mount-"))
  const isMounted = runs("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", path)
  if (isMounted) runs("umount", path)
  rmSync(path, { recursive: true })
  return isMounted
})()

const mount = (...args: ReadonlyArray<string>): void => {
  if (!runs("mount", ...args)) throw new Error(`mount ${args.join(" ")} failed`)
}

/** Mounts something on a directory until the scope closes. */
const mounted = (path: string, ...args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => mount(...args, path)),
    () => Effect.sync(() => runs("umount", "--lazy", path))
  )

/** A file system of its own on a directory, which holds so much and no more. */
export const small = (path: string, size: string) =>
  Effect.as(mounted(path, "-t", "tmpfs", "-o", `size=${size}`, "tmpfs"), {
    grow: (to: string) => Effect.sync(() => mount("-o", `remount,size=${to}`, path))
  })

/** The directory with what is in it, where nothing can be written, until the scope closes. */
export const readOnly = (path: string) =>
  Effect.andThen(
    mounted(path, "--bind", path),
    Effect.sync(() => mount("-o", "remount,ro,bind", path))
  )
