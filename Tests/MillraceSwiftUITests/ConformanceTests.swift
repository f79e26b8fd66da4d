// The host for SwiftUI against the suite for hosts, in a real window. Runs where both SwiftUI and
// UIKit are.

#if canImport(SwiftUI) && canImport(UIKit)
  import Millrace
  import MillraceSwiftUI
  import MillraceTesting
  import SwiftUI
  import Testing
  import UIKit

  @MainActor @Suite struct ConformanceTests {
    // Fault: a command that SwiftUI does not carry out, or whose end the host does not report.
    @Test func swiftUIHost_conforms() async {
      var windows: [UIWindow] = []
      let suite = HostConformance {
        let host = SwiftUIHost()
        let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 320, height: 640))
        window.rootViewController = UIHostingController(
          rootView: FlowWindowView(host: host) { _ in Text(verbatim: "screen") })
        window.makeKeyAndVisible()
        windows.append(window)
        return HostConformance.Subject(host, screens: { host.screens })
      }
      let failures = await suite.run()
      #expect(failures.isEmpty, "\(failures)")
    }
  }
#endif
