/** Tables as files hold them: values between commas or tabs, in quotes where they need them. Pure. */

export function tableOf(text: string, separator: "," | "\t"): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let value = "";
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (quoted) {
      if (sign !== '"') value += sign;
      // A quote within quotes is written twice.
      else if (text[at + 1] === '"') value += text[++at];
      else quoted = false;
    } else if (sign === '"' && value === "") quoted = true;
    else if (sign === separator) {
      row.push(value);
      value = "";
    } else if (sign === "\n") {
      rows.push([...row, value.replace(/\r$/, "")]);
      [row, value] = [[], ""];
    } else value += sign;
  }
  if (value || row.length > 0) rows.push([...row, value]);
  return rows;
}
