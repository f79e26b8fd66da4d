// expect: cannot convert value of type 'String' to specified type 'Int'
import Millrace

let number: Int = "seven"
