/** What the API answers to which request, as its own document says. A path is written with what stands in for its names. */

import type { paths } from "./generated.ts";

/** The server leaves out what is at its default, so an optional field is absent rather than null. */
export type Present<Value> = Value extends readonly (infer Item)[]
  ? Present<Item>[]
  : Value extends object
    ? {
        [Name in keyof Value]: undefined extends Value[Name]
          ? Present<Exclude<Value[Name], null>>
          : Present<Value[Name]>;
      }
    : Value;

export type Method = "get" | "post" | "put" | "patch" | "delete";

/** The document's paths that know a method. */
type Known<By extends Method> = {
  [Path in keyof paths]: paths[Path] extends Record<By, { responses: object }> ? Path : never;
}[keyof paths];

/** "/chats/{chat_id}/cost" with any words for the names: what a template string of the code may be. */
type Filled<Path extends string> = Path extends `${infer Before}{${string}}${infer After}`
  ? `${Before}${string}${Filled<After>}`
  : Path;

/** What may be asked for with a method. Anything else is no path of the API, and does not compile. */
export type PathOf<By extends Method> = Filled<Known<By>>;

type Words<Path extends string> = Path extends `${infer Word}/${infer Rest}`
  ? [Word, ...Words<Rest>]
  : [Path];

type Fits<Asked extends unknown[], Known extends unknown[]> = [Asked, Known] extends [
  [infer Word, ...infer Words],
  [infer Name, ...infer Names],
]
  ? Name extends `{${string}}`
    ? Fits<Words, Names>
    : Word extends Name
      ? Fits<Words, Names>
      : false
  : [Asked, Known] extends [[], []]
    ? true
    : false;

/** The document's path that is meant: the one with these very words, else the one whose names they fill. */
type Meant<Path extends string, By extends Method> =
  Path extends Known<By>
    ? Path
    : { [Name in Known<By>]: Fits<Words<Path>, Words<Name>> extends true ? Name : never }[Known<By>];

type Answered<Operation> = Operation extends { responses: infer Responses }
  ? Told<Responses[keyof Responses & (200 | 201 | 202)]>
  : never;
type Told<Response> = [Response] extends [never]
  ? undefined
  : Response extends { content: { "application/json": infer Body } }
    ? Present<Body>
    : undefined;

export type Answer<By extends Method, Path extends string> = Path extends string
  ? Answered<paths[Meant<Path, By>][By]>
  : never;

/** The paths of lists, and what one of their items is. */
export type ListPath = {
  [Path in PathOf<"get">]: Answer<"get", Path> extends { items: readonly unknown[] } ? Path : never;
}[PathOf<"get">];
export type ItemOf<Path extends string> =
  Answer<"get", Path> extends { items: readonly (infer Item)[] } ? Item : never;
