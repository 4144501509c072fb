import type { english } from "../en/pairing.ts";
import type { Translation } from "../translation.ts";

export const chinese: Translation<typeof english> = {
  pair: "配对此浏览器",
  pairAgain: "重新配对",
  keepPairing: "保留当前配对",
  notPaired: "此浏览器尚未配对",
  ownKey: "它会获得自己的密钥，密钥不会离开此浏览器。您可以随时在“设置 > 设备”中撤销访问权限。",
  createLink: "请在已配对浏览器的“设置 > 设备”中创建链接，或在运行 Quarterdeck 的机器上执行：",
  linkOrCode: "链接或代码",
  deviceName: "设备名称",
  browser: "浏览器",
};
