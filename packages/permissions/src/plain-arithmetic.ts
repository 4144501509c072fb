// A calculation is plain if it has only numbers. A variable in it may be a whole program.

import type { ArithmeticExpression } from "unbash";
import { complex } from "./line-text.ts";

/** Throws TooComplex for all else. */
export const plainArithmetic = (expression: ArithmeticExpression | undefined): void => {
  switch (expression?.type) {
    case "ArithmeticWord":
      if (!/^(?:\d+|0[xX][\da-fA-F]+|\d+#\w+)$/u.test(expression.value)) complex("It calculates with a variable.");
      return;
    case "ArithmeticBinary":
      plainArithmetic(expression.left);
      plainArithmetic(expression.right);
      return;
    case "ArithmeticUnary":
      plainArithmetic(expression.operand);
      return;
    case "ArithmeticGroup":
      plainArithmetic(expression.expression);
      return;
    case "ArithmeticTernary":
      for (const each of [expression.test, expression.consequent, expression.alternate]) plainArithmetic(each);
      return;
    default:
      complex("It has a calculation that cannot be read.");
  }
};
